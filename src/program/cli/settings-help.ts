/** The settings, as `--help` lists them. */
export const SETTINGS_HELP = `Settings come from the environment, or a .env file in the working folder:
  HUB_HOST, HUB_PORT             where the hub listens (127.0.0.1, 3000)
  DATA_DIR                       database, secrets, certificates (./data)
  SIGN_UP                        first, open or closed (first)
  TRUST_PROXY                    believe X-Forwarded-For's last hop (false)
  HUB_ORIGINS                    the only hosts it answers to (any)
  AGENT_URL                      where the hub finds the agent (http://127.0.0.1:3002)
  AGENT_TOKEN, AGENT_TOKEN_FILE  the token both share, at least 32 characters
  AGENT_TOKEN_PREVIOUS           an older one the agent still takes (or _FILE)
  AGENT_HOST, AGENT_PORT         where the agent listens (127.0.0.1, 3002)
  AGENT_TLS_CERT, AGENT_TLS_KEY  files (PEM) with which the agent speaks TLS
  AGENT_CA                       what the hub trusts then: a file (PEM), or the
                                 certificate's SHA-256 fingerprint
  PROXY_BIN                      the proxy's program (caddy on the PATH)
  PROXYFILE                      the file the agent keeps (/etc/caddy/Caddyfile)
  PROXY_ADMIN                    Caddy's admin endpoint (localhost:2019)
  PROXY_MANAGED                  whether the agent runs Caddy itself (false)
  PROXY_ENV_FILE                 NAME=value lines for Caddy
  IMPORT_DIRS                    folders whose files may be imported (none)
  ACCESS_LOG                     the access log (/var/log/caddy/access.log)
  ACCESS_LOG_ROLL_MB             size at which it rolls (100)
  ACCESS_LOG_KEEP                rolled files kept (10)
  LOG_FORMAT                     of our own log: logfmt or json (logfmt)
  LOG_LEVEL                      debug, info, warn or error (info)
On one machine everything lies under DATA_DIR, Caddy is managed, and
  PROXY_HTTP_PORT, PROXY_HTTPS_PORT
                                 are the first ports it serves (80 and 443,
                                 or 8080 and 8443 where those cannot be had)
`;
