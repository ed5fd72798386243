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
  webhook: {
    title: "Webhook", what: "Signed JSON to a URL",
    fields: [
      {"name":"url","label":"Address","type":"text","required":true,"removable":false,"placeholder":"https://hooks.example.org/…"},
      {"name":"secret","label":"Secret","type":"password","required":false,"removable":false,"help":"Signs the messages; at least 16 characters. Leave empty to generate one, which is shown once."},
    ],
  },
} as const;
