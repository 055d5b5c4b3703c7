/**
 * Starts nginx, HAProxy or Caddy with its file of `deploy`. Only addresses, ports, the host name and the certificate are replaced, so that
 * the campaign tests what an operator copies.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type ProxyName = 'nginx' | 'haproxy' | 'caddy'

export interface ProxySetup {
  folder: string
  httpPort: number
  httpsPort: number
  nodePorts: readonly [number, number]
  /** Each node has its health checks at its own address and this port. */
  healthPort: number
}

/** Addresses of the nodes on this machine. They differ, because the files name one port for the health checks of all nodes. */
export const nodeHosts = ['127.0.0.11', '127.0.0.12'] as const

const deployFolder = join(import.meta.dirname, '..', '..', '..', 'deploy')
const fileNames: Record<ProxyName, string> = { nginx: 'nginx.conf', haproxy: 'haproxy.cfg', caddy: 'Caddyfile' }

/** Creates a certificate for `localhost`. Returns it as text. */
export async function createCertificate(folder: string): Promise<string> {
  const [key, certificate] = [join(folder, 'privkey.pem'), join(folder, 'fullchain.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const type = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2']
  await promisify(execFile)('openssl', ['req', ...type, '-keyout', key, '-out', certificate, ...subject])
  const texts = await Promise.all([certificate, key].map((file) => readFile(file, 'utf8')))
  await writeFile(join(folder, 'portal.pem'), texts.join(''))
  return texts[0] ?? ''
}

function substitute(text: string, { folder, httpPort, httpsPort, nodePorts, healthPort }: ProxySetup): string {
  const replacements: [RegExp, string][] = [
    [/10\.0\.0\.11:8080/g, `${nodeHosts[0]}:${nodePorts[0]}`],
    [/10\.0\.0\.12:8080/g, `${nodeHosts[1]}:${nodePorts[1]}`],
    [/\/etc\/portal\/tls/g, folder],
    [/https:\/\/portal\.example\.com\$/g, `https://localhost:${httpsPort}$`],
    [/portal\.example\.com/g, 'localhost'],
    [/(check port|health_port) 8081/g, `$1 ${healthPort}`],
    [/(listen |bind :|https_port )443\b/g, `$1${httpsPort}`],
    [/(listen |bind :|http_port )80\b/g, `$1${httpPort}`],
  ]
  return replacements.reduce((changed, [pattern, value]) => changed.replace(pattern, value), text)
}

const wrapNginx = (folder: string, file: string) => `daemon off;
pid ${folder}/nginx.pid;
error_log stderr warn;
events { worker_connections 1024; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  include ${file};
}
`

/** Returns program and arguments. Writes the files that they name. */
async function prepareCommand(name: ProxyName, setup: ProxySetup): Promise<[string, string[]]> {
  const { folder } = setup
  const file = join(folder, fileNames[name])
  const text = substitute(await readFile(join(deployFolder, fileNames[name]), 'utf8'), setup)
  await writeFile(file, text)
  if (name === 'haproxy') return ['haproxy', ['-db', '-f', file]]
  if (name === 'caddy') return ['caddy', ['run', '--config', file, '--adapter', 'caddyfile']]
  const mainFile = join(folder, 'main.conf')
  await writeFile(mainFile, wrapNginx(folder, file))
  return ['nginx', ['-p', folder, '-e', 'stderr', '-c', mainFile]]
}

export interface RunningProxy {
  output(): string
  stop(): Promise<void>
}

export async function startProxy(name: ProxyName, setup: ProxySetup): Promise<RunningProxy> {
  const [program, args] = await prepareCommand(name, setup)
  const { PATH = '' } = process.env
  const env = {
    PATH: `${PATH}:/usr/sbin`,
    HOME: setup.folder,
    XDG_DATA_HOME: setup.folder,
    XDG_CONFIG_HOME: setup.folder,
  }
  const child: ChildProcess = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes: Buffer) => (output += bytes.toString()))
  const exit = once(child, 'exit')
  return {
    output: () => output,
    async stop() {
      child.kill('SIGTERM')
      await exit
    },
  }
}
