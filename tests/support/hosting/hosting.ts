/** Runs the local hosting in a separate folder, uses it through its interface and inspects it from outside: processes and HTTP. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type {
  HostingDriver,
  InstanceAddress,
  InstanceRef,
  InstanceState,
} from '#server/drivers/hosting/hosting-driver.ts'
import {
  createLocalHosting,
  type LocalHosting,
  type LocalHostingSettings,
} from '#server/drivers/hosting/local/local-hosting.ts'

/** What differs between hosting drivers, as far as their common tests must know it. */
export interface HostingTraits {
  /** Returns the memory limit in MB that is set for a request. 0 requests what the platform decides. */
  getLimitMb(requestedMb: number): number
  /** Time in ms within which a change takes effect: tasks are healthy, or a fault is reported. */
  changeMs: number
  /** Time in ms after which the log has an entry. */
  logDelayMs: number
}

/** Interface between the tests of hosting drivers and the driver under test. */
export interface HostingUnderTest {
  driver: HostingDriver
  traits: HostingTraits
  /** Opens a driver for the same instances whose image does not exist. Throws if the platform needs no image. */
  openWithoutImage(): HostingDriver
  canSignIn(address: InstanceAddress, password: string): Promise<boolean>
  /** Logs in and returns the cookie, or null if the login is refused. */
  signIn(address: InstanceAddress, password: string): Promise<string | null>
  isSignedIn(address: InstanceAddress, cookie: string): Promise<boolean>
  end(): Promise<void>
}

export interface LocalUnderTest extends HostingUnderTest {
  driver: LocalHosting
  folder: string
  /** Opens a second portal on the same folder. */
  openAnother(): LocalHosting
}

export const sampleProgram = join(import.meta.dirname, '..', '..', '..', 'demo', 'sample-instance', 'main.ts')

/** The sample program, except that some apps break it (`program-breaks.ts`). */
export const faultyProgram = join(import.meta.dirname, 'faulty-program.ts')
export const breakableProgram = join(import.meta.dirname, 'breakable-program.ts')

const localTraits: HostingTraits = {
  getLimitMb: (requestedMb) => requestedMb || 256,
  changeMs: 30_000,
  logDelayMs: 0,
}

/** Default settings. The memory limit is so high that it affects only tests with their own limit. */
const defaultSettings = {
  program: sampleProgram,
  log: { warn: () => undefined, info: () => undefined },
  memoryMb: 1_000_000,
}

export function openLocalHosting(settings: Partial<LocalHostingSettings> = {}): LocalUnderTest {
  const folder = settings.folder ?? mkdtempSync(join(tmpdir(), 'hosting-'))
  const drivers: LocalHosting[] = []
  const openAnother = () => {
    const hosting = createLocalHosting({ ...defaultSettings, ...settings, folder })
    drivers.push(hosting)
    return hosting
  }
  return {
    driver: openAnother(),
    traits: localTraits,
    openWithoutImage() {
      throw new Error('the program of a local instance is no image')
    },
    folder,
    openAnother,
    ...instanceClient,
    async end() {
      await Promise.all(drivers.map((driver) => driver.close()))
      await endHosting(folder, settings)
    },
  }
}

/** Ends all processes and deletes the folder. Throws if a process is left. */
export async function endHosting(folder: string, settings: Partial<LocalHostingSettings> = {}): Promise<void> {
  await createLocalHosting({ ...defaultSettings, ...settings, folder }).shutDown()
  const leftProcesses = findProcesses(folder)
  for (const { pid } of leftProcesses) process.kill(pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true })
  if (leftProcesses.length > 0)
    throw new Error(`${leftProcesses.length} processes were left: ${leftProcesses[0]?.command}`)
}

export interface HostProcess {
  pid: number
  kind: 'supervisor' | 'task' | 'other'
  command: string
}

/** Returns all processes whose command line contains the folder. Zombie processes are left out, because they have no command line. */
export function findProcesses(folder: string): HostProcess[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return []
    const command = readCommand(name)
    if (!command.includes(`${folder}/`) && !command.includes(`${folder}"`)) return []
    const kind = command.includes('supervisor.ts') ? 'supervisor' : command.includes(' serve ') ? 'task' : 'other'
    return [{ pid: Number(name), kind, command }]
  })
}

function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

export const findTasks = (folder: string) => findProcesses(folder).filter(({ kind }) => kind === 'task')
export const findSupervisors = (folder: string) => findProcesses(folder).filter(({ kind }) => kind === 'supervisor')

export async function waitUntil<T>(
  description: string,
  check: () => T | Promise<T>,
  timeoutMs = 20_000,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const value = await check()
    if (value) return value as NonNullable<T>
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${description}`)
    await wait(25)
  }
}

export const waitUntilHealthy = (
  driver: HostingDriver,
  instance: InstanceRef,
  count = 1,
  timeoutMs?: number,
): Promise<InstanceState> =>
  waitUntil(
    `${count} healthy tasks of ${instance.code}`,
    async () => {
      const state = await driver.look(instance)
      return state?.tasks.length === count && state.tasks.every((task) => task.healthy) ? state : null
    },
    timeoutMs,
  )

export interface InstanceResponse {
  status: number
  headers: NodeJS.Dict<string | string[]>
  body: string
}

/** Sends a request through the gateway with the host name of that address. Rejects if the connection is cut. */
export function sendRequest(
  address: string,
  path: string,
  {
    form,
    headers = {},
    method,
  }: { form?: Record<string, string>; headers?: Record<string, string>; method?: string } = {},
): Promise<InstanceResponse> {
  const { port, host } = new URL(address)
  const body = form && new URLSearchParams(form).toString()
  const formHeaders =
    body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded', origin: `http://${host}` }
  return new Promise((resolve, reject) => {
    const clientRequest = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        agent: false,
        headers: {
          host,
          ...formHeaders,
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        )
      },
    )
    clientRequest.on('error', reject)
    clientRequest.end(body)
  })
}

async function signIn({ url }: InstanceAddress, password: string, user = 'admin'): Promise<string | null> {
  const response = await sendRequest(url, '/sign-in', { form: { user, password } })
  const [cookie] = response.headers['set-cookie'] ?? []
  return response.status === 303 ? (cookie?.split(';')[0] ?? null) : null
}

async function isSignedIn({ url }: InstanceAddress, cookie: string): Promise<boolean> {
  return (await sendRequest(url, '/items', { headers: { cookie } })).status === 200
}

/** Uses an instance of the sample like a person. */
export const instanceClient = {
  signIn,
  isSignedIn,
  canSignIn: async (address: InstanceAddress, password: string) => (await signIn(address, password)) !== null,
}
