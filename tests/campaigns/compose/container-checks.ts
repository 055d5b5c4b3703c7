/** Checks what an operator relies on: no root, nothing to write to, no secret to read, nothing in the image that does not belong there. */
import type { Docker } from '#tests/campaigns/compose/docker.ts'
import { images } from '#tests/campaigns/compose/images.ts'
import type { Installation } from '#tests/campaigns/compose/installation.ts'

interface ContainerDetails {
  Config: { User: string; Env: string[]; Entrypoint: string[] | null; Cmd: string[] | null }
  HostConfig: { ReadonlyRootfs: boolean; CapDrop: string[] | null; SecurityOpt: string[] | null; Privileged: boolean }
  NetworkSettings: { Ports: Record<string, { HostIp: string }[] | null> }
}

const services = ['portal-1', 'portal-2', 'worker', 'postgres', 's3', 'nginx', 'migrate', 'create-buckets']

/** Returns one line per fault. */
export function findContainerFaults(docker: Docker, installation: Installation): string[] {
  return services.flatMap((service) => {
    const container = installation.getContainer(service)
    const text = docker.run('inspect', container)
    const [details] = JSON.parse(text) as [ContainerDetails]
    const logs = docker.readLogs(container)
    const leakedNames = [...installation.secrets].filter(
      ([name, value]) => name !== 'smtp_url' && (text.includes(value) || logs.includes(value)),
    )
    return [
      ...findSettingFaults(service, details),
      ...findProcessFaults(docker, container),
      ...leakedNames.map(([name]) => `${name} can be read from the container's settings or its log`),
    ].map((fault) => `${service}: ${fault}`)
  })
}

function findSettingFaults(service: string, { Config, HostConfig, NetworkSettings }: ContainerDetails): string[] {
  const bindings = Object.values(NetworkSettings.Ports).flatMap((ports) => ports ?? [])
  const expectations: Record<string, boolean> = {
    'runs as root': /^[1-9]\d*:[1-9]\d*$/.test(Config.User),
    'its root file system can be written to': HostConfig.ReadonlyRootfs,
    'it has capabilities': HostConfig.CapDrop?.includes('ALL') === true,
    'its processes may get new privileges': HostConfig.SecurityOpt?.includes('no-new-privileges:true') === true,
    'it is privileged': !HostConfig.Privileged,
    'it has published ports': service === 'nginx' || bindings.length === 0,
    'it is published to other machines': bindings.every(({ HostIp }) => HostIp === '127.0.0.1'),
  }
  return Object.entries(expectations).flatMap(([fault, isMet]) => (isMet ? [] : [fault]))
}

/** The user of every process, by its number: names differ between a container and this machine. */
function findProcessFaults(docker: Docker, container: string): string[] {
  if (docker.run('inspect', '-f', '{{.State.Running}}', container) !== 'true') return []
  const lines = docker.run('top', container, '-eo', 'uid,pid,args').split('\n').slice(1)
  return lines.filter((line) => /^\s*0\s/.test(line)).map((line) => `a process runs as root: ${line.trim()}`)
}

const folders = ['demo', 'deploy', 'dist', 'dist-site', 'main.ts', 'node_modules', 'package.json', 'server', 'src']
/** Packages of the build, the tests and the client, and a second Node. */
const foreignPackages = ['node', 'npm', 'playwright-core', 'primereact', 'react', 'typescript', 'vite', 'vitest']

/** Returns one line per fault of the image of the portal. */
export function findImageFaults(docker: Docker): string[] {
  const script = `
    import { readdirSync, accessSync, constants } from 'node:fs'
    const files = readdirSync('/portal', { recursive: true }).filter((path) => !path.startsWith('node_modules/'))
    const isWritable = (path) => { try { accessSync('/portal/' + path, constants.W_OK); return true } catch { return false } }
    console.log(JSON.stringify({
      top: readdirSync('/portal').toSorted(),
      suspicious: files.filter((path) => /(^|\\/)(\\.git|\\.env|secrets?|tests?|data|.*\\.test\\.tsx?|.*\\.key|.*\\.pem)$/.test(path)),
      writable: files.filter(isWritable),
      packages: readdirSync('/portal/node_modules'),
      data: readdirSync('/data'),
      uid: process.getuid(),
      node: process.version,
    }))`
  const run = ['run', '--rm', '--network', 'none', '--entrypoint', 'node', images.portal]
  const content = JSON.parse(docker.run(...run, '--input-type=module', '--eval', script)) as {
    top: string[]
    suspicious: string[]
    writable: string[]
    packages: string[]
    data: string[]
    uid: number
    node: string
  }
  return [
    ...(content.top.join() === folders.join() ? [] : [`/portal has ${content.top.join(', ')}`]),
    ...content.suspicious.map((path) => `the image has ${path}`),
    ...content.writable.map((path) => `the user of the portal can change ${path}`),
    ...content.packages
      .filter((name) => foreignPackages.includes(name))
      .map((name) => `the image has the package ${name}`),
    ...content.data.map((path) => `the image has /data/${path}`),
    ...(content.uid === 1000 ? [] : [`the user of the image is ${content.uid}`]),
    ...(content.node.startsWith('v24.') ? [] : [`the image has Node ${content.node}`]),
  ].map((fault) => `image: ${fault}`)
}
