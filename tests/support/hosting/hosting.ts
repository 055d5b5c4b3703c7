/** The embedded hosting in a folder of its own: driven by the port, and looked at from outside, as processes and over HTTP. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { HostingDriver, InstanceAddress, InstanceRef, InstanceState } from '#server/drivers/hosting/driver.ts'
import {
  createLocalHosting,
  type LocalHosting,
  type LocalHostingSettings,
} from '#server/drivers/hosting/local/driver.ts'

/** What the tests of the port are given of a driver. */
export interface HostingUnderTest {
  driver: HostingDriver
  canSignIn(address: InstanceAddress, password: string): Promise<boolean>
  /** A cookie of whoever signs in so. */
  signIn(address: InstanceAddress, password: string): Promise<string | null>
  isSignedIn(address: InstanceAddress, cookie: string): Promise<boolean>
  end(): Promise<void>
}

export interface LocalUnderTest extends HostingUnderTest {
  driver: LocalHosting
  folder: string
  /** Another portal on the same folder. */
  another(): LocalHosting
}

/** What a service of a test runs. */
export const sampleProgram = join(import.meta.dirname, '..', '..', '..', 'demo', 'sample-instance', 'main.ts')

/** Whatever the machine has: no test goes by it unless it says so. */
const usual = { program: sampleProgram, log: { warn: () => undefined, info: () => undefined }, memoryMb: 1_000_000 }

export function openLocalHosting(settings: Partial<LocalHostingSettings> = {}): LocalUnderTest {
  const folder = settings.folder ?? mkdtempSync(join(tmpdir(), 'hosting-'))
  const all: LocalHosting[] = []
  const another = () => {
    const made = createLocalHosting({ ...usual, ...settings, folder })
    all.push(made)
    return made
  }
  return {
    driver: another(),
    folder,
    another,
    signIn,
    isSignedIn,
    canSignIn: async (address, password) => (await signIn(address, password)) !== null,
    async end() {
      await Promise.all(all.map((one) => one.close()))
      await endHosting(folder, settings)
    },
  }
}

/** Ends all that runs there and takes the folder away. Throws where a process was left. */
export async function endHosting(folder: string, settings: Partial<LocalHostingSettings> = {}): Promise<void> {
  await createLocalHosting({ ...usual, ...settings, folder }).shutDown()
  const left = processesOf(folder)
  for (const { pid } of left) process.kill(pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true })
  if (left.length > 0) throw new Error(`${left.length} processes were left: ${left[0]?.command}`)
}

export interface Found {
  pid: number
  kind: 'supervisor' | 'task' | 'other'
  command: string
}

/** All whose command line names the folder; a process that has ended and is not asked after yet has none. */
export function processesOf(folder: string): Found[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return []
    const command = commandOf(name)
    if (!command.includes(`${folder}/`) && !command.includes(`${folder}"`)) return []
    const kind = command.includes('supervisor.ts') ? 'supervisor' : command.includes(' serve ') ? 'task' : 'other'
    return [{ pid: Number(name), kind, command }]
  })
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

export const tasksOf = (folder: string) => processesOf(folder).filter(({ kind }) => kind === 'task')
export const supervisorsOf = (folder: string) => processesOf(folder).filter(({ kind }) => kind === 'supervisor')

export async function until<T>(what: string, look: () => T | Promise<T>, patienceMs = 20_000): Promise<NonNullable<T>> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const found = await look()
    if (found) return found as NonNullable<T>
    if (Date.now() > deadline) throw new Error(`not within ${patienceMs} ms: ${what}`)
    await wait(25)
  }
}

export const healthy = (driver: HostingDriver, ref: InstanceRef, count = 1): Promise<InstanceState> =>
  until(`${count} healthy tasks of ${ref.code}`, async () => {
    const state = await driver.look(ref)
    return state?.tasks.length === count && state.tasks.every((task) => task.healthy) ? state : null
  })

export interface Exchange {
  status: number
  headers: NodeJS.Dict<string | string[]>
  body: string
}

/** Over the gateway, by the host of that address. Rejects where the connection is cut off. */
export function ask(
  address: string,
  path: string,
  {
    form,
    headers = {},
    method,
  }: { form?: Record<string, string>; headers?: Record<string, string>; method?: string } = {},
): Promise<Exchange> {
  const { port, host } = new URL(address)
  const body = form && new URLSearchParams(form).toString()
  const type =
    body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded', origin: `http://${host}` }
  return new Promise((done, failed) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        agent: false,
        headers: {
          host,
          ...type,
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
          ...headers,
        },
      },
      (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('error', failed)
        response.on('end', () =>
          done({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(parts).toString(),
          }),
        )
      },
    )
    asked.on('error', failed)
    asked.end(body)
  })
}

async function signIn({ url }: InstanceAddress, password: string, user = 'admin'): Promise<string | null> {
  const answer = await ask(url, '/sign-in', { form: { user, password } })
  const [cookie] = answer.headers['set-cookie'] ?? []
  return answer.status === 303 ? (cookie?.split(';')[0] ?? null) : null
}

async function isSignedIn({ url }: InstanceAddress, cookie: string): Promise<boolean> {
  return (await ask(url, '/items', { headers: { cookie } })).status === 200
}
