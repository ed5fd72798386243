/** Services that are programs of Debian, each started on a free port of loopback. */
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { selfSigned } from '../../../harness/certificate.ts';
import { startServer } from '../../../harness/server-process.ts';
import { freePort, temporaryFolder } from '../../../harness/stack.ts';
import { asUser, isRoot, NOBODY } from '../../../harness/unprivileged.ts';
import type { Stops } from './listening.ts';

const find = (program: string) =>
  Bun.which(program, { PATH: `${process.env.PATH}:/usr/sbin:/sbin` });

export const OPENSSL = find('openssl');
export const NGINX = find('nginx');
export const SSHD = find('sshd');
export const POSTFIX = find('postfix');
export const REDIS = find('redis-server');
export const NODE = find('node');
export const MARIADB = find('mariadbd');
export const PERL = find('perl');
const PYTHON = find('/usr/bin/python3');
const DJANGO = '/usr/lib/python3/dist-packages/django';
export const HAS_DJANGO = PYTHON !== null && (await Bun.file(join(DJANGO, '__init__.py')).exists());

type Running = {
  port: number;
  folder: string;
  /** Starts it again on the same port, once it has ended. */
  restart: () => Promise<void>;
};

/** Runs it until the services stop. @param command its words, made for a port and a folder of its own */
async function running(
  stops: Stops,
  command: (port: number, folder: string) => string,
): Promise<Running> {
  const port = freePort();
  const folder = temporaryFolder();
  stops.add(() => rmSync(folder, { recursive: true, force: true }));
  const words = command(port, folder).trim().split(/ +/);
  const start = () => startServer(words, folder, port);
  let stop = await start();
  stops.add(() => stop());
  return {
    port,
    folder,
    async restart() {
      await stop();
      stop = await start();
    },
  };
}

const run = async (...how: Parameters<typeof running>): Promise<number> =>
  (await running(...how)).port;

/** An HTTPS server with a page of its own. @param pair its certificate, and the key of that, as PEM */
export async function startOpenssl(
  stops: Stops,
  pair: { certificate: string; key: string },
): Promise<number> {
  const port = await run(stops, (port, folder) => {
    const [certificate, key] = [join(folder, 'own.crt'), join(folder, 'own.key')];
    writeFileSync(certificate, pair.certificate);
    writeFileSync(key, pair.key);
    return `${OPENSSL} s_server -accept 127.0.0.1:${port} -www -quiet -cert ${certificate} -key ${key}`;
  });
  return port;
}

/**
 * @param servers `server` blocks of nginx
 * @param files what they read, by name, in `FOLDER`
 */
export async function startNginx(
  stops: Stops,
  servers: (port: number) => string,
  files: Readonly<Record<string, string>> = {},
): Promise<{ port: number; replace: (servers: string) => Promise<void> }> {
  const write = (folder: string, text: string) =>
    writeFileSync(join(folder, 'nginx.conf'), nginxFile(text.replaceAll('FOLDER', folder)));
  const { port, folder, restart } = await running(stops, (port, folder) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    write(folder, servers(port));
    return `${NGINX} -p ${folder} -c ${join(folder, 'nginx.conf')}`;
  });
  return {
    port,
    replace: (text) => {
      write(folder, text);
      return restart();
    },
  };
}

/** nginx that speaks HTTPS alone, with a certificate of its own. @returns its port */
export async function startSecureNginx(stops: Stops): Promise<number> {
  const { certificate, key } = await selfSigned(['nas']);
  const files = { 'own.crt': certificate, 'own.key': key };
  const { port } = await startNginx(
    stops,
    (port) =>
      `server { listen 127.0.0.1:${port} ssl; ssl_certificate FOLDER/own.crt; ssl_certificate_key FOLDER/own.key; location / { return 200 up; } }`,
    files,
  );
  return port;
}

const nginxFile = (servers: string) =>
  `
daemon off;
# One process, which can be killed.
master_process off;
pid nginx.pid;
error_log stderr crit;
events {}
http {
  access_log off;
  client_body_temp_path tmp-body;
  proxy_temp_path tmp-proxy;
  fastcgi_temp_path tmp-fastcgi;
  uwsgi_temp_path tmp-uwsgi;
  scgi_temp_path tmp-scgi;
${servers}
}
`;

/** A Caddy that somebody else runs, for one name over HTTPS. */
export const startOtherCaddy = (stops: Stops): Promise<number> =>
  run(stops, (port, folder) => {
    const options = '{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}';
    const site = `https://nas.home.arpa:${port} {\n\ttls internal\n\trespond up\n}`;
    const file = join(folder, 'Caddyfile');
    writeFileSync(file, `${options}\n${site}\n`);
    const home = `HOME=${folder} XDG_DATA_HOME=${folder} XDG_CONFIG_HOME=${folder}`;
    return `env ${home} caddy run --config ${file} --adapter caddyfile`;
  });

/** OpenSSH, as a user who may not change users: nobody signs in. */
export const startSshd = (stops: Stops): Promise<number> =>
  run(stops, (port, folder) => {
    const key = join(folder, 'key');
    Bun.spawnSync(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key]);
    const options = `-f none -h ${key} -p ${port} -o ListenAddress=127.0.0.1 -o PidFile=none`;
    return `${asNobody(folder, key)} ${SSHD} -D -e ${options}`;
  });

/** A mail server that takes no mail: of Postfix, what listens. Its own user runs it. */
export const startPostfix = (stops: Stops): Promise<number> =>
  run(stops, (port, folder) => {
    const data = join(folder, 'data');
    mkdirSync(data);
    mkdirSync(join(folder, 'queue'));
    chmodSync(folder, 0o755);
    Bun.spawnSync(['chown', 'postfix', data]);
    const tables = 'alias_maps =\nlocal_recipient_maps =';
    const places = `queue_directory = ${folder}/queue\ndata_directory = ${data}`;
    const main = `compatibility_level = 3.6\nmaillog_file = /dev/stdout\n${places}\n${tables}\n`;
    writeFileSync(join(folder, 'main.cf'), main);
    writeFileSync(join(folder, 'master.cf'), POSTFIX_SERVICES.replace('PORT', String(port)));
    Bun.spawnSync([POSTFIX ?? '', '-c', folder, 'check']);
    return `/usr/lib/postfix/sbin/master -c ${folder} -d`;
  });

const POSTFIX_SERVICES = `
127.0.0.1:PORT inet n - n - - smtpd
postlog unix-dgram n - n - 1 postlogd
cleanup unix n - n - 0 cleanup
rewrite unix - - n - - trivial-rewrite
anvil unix - - n - 1 anvil
`;

export const startRedis = (stops: Stops): Promise<number> =>
  run(stops, (port) => `${REDIS} --port ${port} --bind 127.0.0.1 --save --daemonize no`);

/** Node's own HTTP/2, which speaks nothing else. @param pair for TLS; null: without */
export const startNodeHttp2 = (
  stops: Stops,
  pair: { certificate: string; key: string } | null,
): Promise<number> =>
  run(stops, (port, folder) => {
    const script = join(folder, 'server.mjs');
    const [create, options] = pair
      ? ['createSecureServer', { cert: pair.certificate, key: pair.key }]
      : ['createServer', {}];
    writeFileSync(
      script,
      `import { ${create} } from 'node:http2';
${create}(${JSON.stringify(options)}, (_, answer) => answer.end('up')).listen(${port}, '127.0.0.1');`,
    );
    return `${NODE} ${script}`;
  });

/** What begins the words of a program that root should not run. @param own what belongs to its user, in the folder */
function asNobody(folder: string, own: string): string {
  if (!isRoot) return '';
  chmodSync(folder, 0o755);
  chownSync(own, NOBODY, NOBODY);
  return asUser(NOBODY).join(' ');
}

/** A database without any data. */
export async function startMariadb(stops: Stops): Promise<number> {
  const port = await run(stops, (port, folder) => {
    const data = join(folder, 'data');
    mkdirSync(data);
    const user = asNobody(folder, data);
    const places = `--datadir=${data} --socket=${data}/socket --pid-file=${data}/pid`;
    const options = '--no-defaults --skip-grant-tables --innodb=OFF --default-storage-engine=Aria';
    return `${user} ${MARIADB} ${options} ${places} --port=${port} --bind-address=127.0.0.1`;
  });
  return port;
}

/** Django, as its documentation begins a project; it may only be asked for by its address. */
export const startDjango = (stops: Stops): Promise<number> =>
  run(stops, (port, folder) => {
    writeFileSync(join(folder, 'site.py'), DJANGO_FILE);
    return `${PYTHON} site.py runserver --noreload 127.0.0.1:${port}`;
  });

const DJANGO_FILE = `
import sys
from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse
from django.urls import path
settings.configure(
    DEBUG=False, SECRET_KEY='of the test', ROOT_URLCONF=__name__, ALLOWED_HOSTS=['127.0.0.1'],
    MIDDLEWARE=['django.middleware.common.CommonMiddleware'],
)
urlpatterns = [path('', lambda request: HttpResponse('welcome'))]
execute_from_command_line(sys.argv)
`;

/** A machine that drops what comes: its queue is full, so that the system answers no further connection. */
export async function startDropping(stops: Stops): Promise<number> {
  const child = Bun.spawn([PERL ?? '', '-MSocket', '-e', FULL_QUEUE], { stdout: 'pipe' });
  stops.add(() => child.kill('SIGKILL'));
  const { value } = await child.stdout.getReader().read();
  return Number(new TextDecoder().decode(value).trim());
}

const FULL_QUEUE = `
$| = 1;
socket(my $server, PF_INET, SOCK_STREAM, 0);
bind($server, sockaddr_in(0, INADDR_LOOPBACK));
listen($server, 0);
my ($port) = sockaddr_in(getsockname($server));
socket(my $client, PF_INET, SOCK_STREAM, 0);
connect($client, sockaddr_in($port, INADDR_LOOPBACK));
print "$port\\n";
sleep 600;
`;
