/**
 * The form of each kind of channel, generated from src/features/channels/kinds. Do not edit; run `bun run forms`.
 */
// biome-ignore-all format: generated
export const CHANNEL_FORMS = {
  ntfy: {
    title: "ntfy", what: "Phone notifications through ntfy.sh or your own server",
    fields: [
      {"name":"url","label":"Server","type":"text","required":true,"removable":false,"value":"https://ntfy.sh"},
      {"name":"topic","label":"Topic","type":"text","required":true,"removable":false,"help":"Anyone who knows the topic can read it, unless the server asks for a token."},
      {"name":"token","label":"Access token","type":"password","required":false,"removable":true},
    ],
  },
  gotify: {
    title: "Gotify", what: "Phone notifications through your Gotify server",
    fields: [
      {"name":"url","label":"Server","type":"text","required":true,"removable":false,"placeholder":"https://gotify.example.org"},
      {"name":"token","label":"Application token","type":"password","required":true,"removable":false},
    ],
  },
  smtp: {
    title: "Email", what: "Email through your mail server",
    fields: [
      {"name":"host","label":"Mail server","type":"text","required":true,"removable":false,"placeholder":"mail.example.org"},
      {"name":"security","label":"Encryption","options":[{"value":"starttls","label":"STARTTLS (port 587)"},{"value":"tls","label":"TLS (port 465)"},{"value":"none","label":"None (port 25)"}],"required":false,"removable":false},
      {"name":"port","label":"Port","type":"number","min":1,"max":65535,"required":false,"removable":true},
      {"name":"user","label":"User","type":"text","required":false,"removable":true},
      {"name":"password","label":"Password","type":"password","required":false,"removable":true},
      {"name":"from","label":"From","type":"text","required":true,"removable":false,"placeholder":"signalbox@example.org"},
      {"name":"to","label":"To","type":"text","required":true,"removable":false,"placeholder":"you@example.org"},
    ],
  },
  discord: {
    title: "Discord", what: "A channel of your Discord server",
    fields: [
      {"name":"url","label":"Webhook URL","type":"text","required":true,"removable":false,"help":"From the settings of the Discord channel: Integrations, Webhooks.","placeholder":"https://discord.com/api/webhooks/…"},
    ],
  },
  telegram: {
    title: "Telegram", what: "A Telegram chat, group or channel, through your bot",
    fields: [
      {"name":"url","label":"Server","type":"text","required":true,"removable":false,"value":"https://api.telegram.org"},
      {"name":"token","label":"Bot token","type":"password","required":true,"removable":false,"help":"From @BotFather."},
      {"name":"chat","label":"Chat","type":"text","required":true,"removable":false,"help":"The ID of the chat, or @name of a public group or channel.","placeholder":"-1001234567890"},
    ],
  },
  slack: {
    title: "Slack", what: "A channel in Slack, or in Mattermost",
    fields: [
      {"name":"url","label":"Webhook URL","type":"text","required":true,"removable":false,"help":"Of an app with incoming webhooks.","placeholder":"https://hooks.slack.com/services/…"},
    ],
  },
  apprise: {
    title: "Apprise", what: "Over a hundred other services, through your Apprise API server",
    fields: [
      {"name":"url","label":"Server","type":"text","required":true,"removable":false,"placeholder":"http://apprise.example.org:8000"},
      {"name":"key","label":"Key","type":"text","required":false,"removable":true,"help":"Under which the server has stored Apprise URLs."},
      {"name":"urls","label":"Apprise URLs","type":"password","required":false,"removable":true,"help":"Where messages go if there is no key, separated by commas."},
    ],
  },
  webhook: {
    title: "Webhook", what: "Signed JSON to a URL",
    fields: [
      {"name":"url","label":"Address","type":"text","required":true,"removable":false,"placeholder":"https://hooks.example.org/…"},
      {"name":"secret","label":"Secret","type":"password","required":false,"removable":false,"help":"Signs the messages; at least 16 characters. Leave empty to generate one, which is shown once."},
    ],
  },
} as const;
