/**
 * Builds the images of an installation without an image registry: the base images from Debian's packages, and the portal's from the
 * repository's Dockerfile.
 */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Docker } from '#tests/campaigns/compose/docker.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const imageFolder = join(import.meta.dirname, 'images')

export const images = {
  debian: 'portal-campaign/debian',
  node: 'portal-campaign/node:24',
  postgres: 'portal-campaign/postgres',
  nginx: 'portal-campaign/nginx',
  store: 'portal-campaign/store',
  portal: 'portal-campaign/portal',
} as const

/** Builds every image that is missing, and those of the portal and the store anew. `folder` is for temporary files. */
export async function buildImages(docker: Docker, folder: string, report: (line: string) => void): Promise<void> {
  const isMissing = (name: string) => docker.run('images', '--quiet', name) === ''
  const build = (name: string, context: string, ...args: string[]) =>
    docker.run('build', '--network', 'host', '--tag', name, ...args, context)
  if (isMissing(images.debian)) await importDebian(docker, join(folder, 'debian'))
  if (isMissing(images.node)) build(images.node, prepareNodeContext(join(folder, 'node')))
  for (const name of ['postgres', 'nginx'] as const)
    if (isMissing(images[name])) build(images[name], join(imageFolder, name))
  report('base images are ready')
  build(images.store, prepareStoreContext(join(folder, 'store')), '--build-arg', `BASE_IMAGE=${images.node}`)
  const startedAt = performance.now()
  const epoch = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).stdout.trim()
  const settings = { BASE_IMAGE: images.node, SOURCE_DATE_EPOCH: epoch }
  build(
    images.portal,
    root,
    ...Object.entries(settings).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
  )
  const [size, baseSize] = [images.portal, images.node].map((name) =>
    Number(docker.run('inspect', '-f', '{{.Size}}', name)),
  )
  report(
    `built the image in ${Math.round((performance.now() - startedAt) / 1000)} s: ${toMb(size)} MB, of which ${toMb(baseSize)} MB are the base`,
  )
}

const toMb = (bytes = 0) => Math.round(bytes / 1e6)

async function importDebian(docker: Docker, folder: string): Promise<void> {
  const args = ['--variant=minbase', '--include=ca-certificates', 'bookworm', folder]
  const result = spawnSync('debootstrap', args, { encoding: 'utf8' })
  if (result.status !== 0) throw new Error(`debootstrap failed:\n${result.stdout}${result.stderr}`)
  const tar = spawn('tar', ['-C', folder, '--exclude=./var/cache/apt/archives/*', '-c', '.'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await docker.runWithInput(tar, 'import', '-', images.debian)
  rmSync(folder, { recursive: true, force: true })
}

/** Node and npm of this machine, and its certificates, with which it reaches npm's registry. */
function prepareNodeContext(folder: string): string {
  mkdirSync(folder, { recursive: true })
  cpSync(join(imageFolder, 'node'), folder, { recursive: true })
  cpSync(process.execPath, join(folder, 'node'))
  cpSync(findNpm(), join(folder, 'npm'), { recursive: true })
  cpSync('/etc/ssl/certs/ca-certificates.crt', join(folder, 'ca-certificates.crt'))
  const registry = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim()
  writeFileSync(join(folder, 'npmrc'), `cafile=/etc/ssl/certs/ca-certificates.crt\nregistry=${registry}\n`)
  return folder
}

function findNpm(): string {
  const path = spawnSync('sh', ['-c', 'readlink -f "$(command -v npm)"'], { encoding: 'utf8' }).stdout.trim()
  const folder = dirname(dirname(path))
  if (existsSync(join(folder, 'package.json'))) return folder
  throw new Error('npm is not installed')
}

/** The S3 server and the mail server of the tests, with what they import. */
function prepareStoreContext(folder: string): string {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const sources = ['tests/support/hosting/s3', 'tests/support/server/smtp.ts', 'tests/campaigns/compose/container']
  for (const path of sources) cpSync(join(root, path), join(folder, path), { recursive: true })
  cpSync(join(imageFolder, 'store', 'Dockerfile'), join(folder, 'Dockerfile'))
  const { type, imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type, imports }))
  return folder
}
