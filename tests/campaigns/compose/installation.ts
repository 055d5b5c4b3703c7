/** Starts and removes an installation of compose.yaml in a folder of its own, with its own keys. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Docker } from '#tests/campaigns/compose/docker.ts'
import { images } from '#tests/campaigns/compose/images.ts'
import { waitFor } from '#tests/campaigns/compose/journey/screen.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const project = `portal-campaign-${process.pid}`

export const providerEmail = 'admin@provider.example'
export const timeZone = 'Asia/Hong_Kong'

export interface Installation {
  url: string
  /** Contents of the secret files by name. */
  secrets: Map<string, string>
  /** Returns the id of the container of a service. Throws if it does not exist. */
  getContainer(service: string): string
  compose(...args: string[]): string
  /** Creates and starts everything. Throws if a part does not become healthy that others wait for. */
  start(): void
  readFirstLink(): Promise<string>
  readMailLink(recipient: string, path: string): Promise<string>
  /** Waits until the containers of these services are healthy. */
  waitUntilHealthy(...services: string[]): Promise<void>
  /** Removes containers, networks and volumes. */
  remove(): void
}

/** A mail server in the network of the portals. */
const addedServices = `services:
  mail:
    image: ${images.store}
    command: [node, tests/campaigns/compose/container/mail.ts]
    user: '1000:1000'
    read_only: true
    cap_drop: [ALL]
    networks: [front]
`

/** Prepares an installation as the head of compose.yaml tells an operator. */
export function createInstallation(docker: Docker, folder: string, port: number): Installation {
  mkdirSync(folder, { recursive: true })
  cpSync(join(root, 'compose.yaml'), join(folder, 'compose.yaml'))
  cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true })
  const url = `http://localhost:${port}`
  const settings = {
    PUBLIC_URL: url,
    PORTAL_PORT: port,
    PROVIDER_EMAIL: providerEmail,
    TIME_ZONE: timeZone,
    SIMULATED_PAYMENT: 1,
    DRAIN_SECONDS: 5,
    PORTAL_IMAGE: images.portal,
    POSTGRES_IMAGE: images.postgres,
    S3_IMAGE: images.store,
    NGINX_IMAGE: images.nginx,
  }
  writeFileSync(
    join(folder, '.env'),
    Object.entries(settings)
      .map((pair) => `${pair.join('=')}\n`)
      .join(''),
  )
  writeFileSync(join(folder, 'compose.mail.yaml'), addedServices)
  const { status, stderr } = spawnSync(join(folder, 'deploy', 'create-secrets.sh'), ['smtp://mail:1025'], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`deploy/create-secrets.sh failed: ${stderr}`)
  const secretFolder = join(folder, 'secrets')
  const secrets = new Map(
    readdirSync(secretFolder).map((name) => [name, readFileSync(join(secretFolder, name), 'utf8')]),
  )

  const files = ['-p', project, '-f', 'compose.yaml', '-f', 'compose.mail.yaml']
  const compose = (...args: string[]) => docker.compose(folder, ...files, ...args)
  const getContainer = (service: string) => {
    const [id = ''] = compose('ps', '--quiet', service).trim().split('\n')
    if (id === '') throw new Error(`there is no container of ${service}`)
    return id
  }
  const readHealth = (service: string) =>
    docker.run(
      'inspect',
      '-f',
      '{{.State.Status}} {{if .State.Health}}{{.State.Health.Status}}{{end}}',
      getContainer(service),
    )

  return {
    start: () => void compose('up', '--detach'),
    url,
    secrets,
    getContainer,
    compose,
    readFirstLink: () =>
      waitFor('the link of the first administrator is in a log', () => {
        const logs = ['portal-1', 'portal-2'].map((service) => docker.readLogs(getContainer(service))).join('\n')
        return /http\S+[?&]otk=[\w-]+/.exec(logs)?.[0] ?? null
      }),
    readMailLink: (recipient, path) =>
      waitFor(`a mail to ${recipient} with a link to ${path}`, () =>
        findMailLink(docker.readLogs(getContainer('mail')), recipient, path),
      ),
    async waitUntilHealthy(...services) {
      for (const service of services)
        await waitFor(`${service} is healthy`, () => readHealth(service) === 'running healthy', 180_000)
    },
    remove: () => void compose('down', '--volumes', '--remove-orphans', '--timeout', '30'),
  }
}

function findMailLink(logs: string, recipient: string, path: string): string | null {
  const mails = logs
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { to: string[]; data: string })
  for (const { to, data } of mails.toReversed()) {
    // The text is quoted-printable (RFC 2045).
    const text = data.replace(/=\n/g, '').replaceAll('=3D', '=')
    const link = /http\S+[?&]otk=[\w-]+/.exec(text)?.[0]
    if (to.includes(recipient) && link?.includes(path)) return link
  }
  return null
}
