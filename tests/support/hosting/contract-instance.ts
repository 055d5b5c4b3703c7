/** Runs tasks of the sample instance by the instance contract: real processes that listen on a port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampleProgram } from '#tests/support/hosting/hosting.ts'
import { runAsSuperuser } from '#tests/support/server/postgres.ts'

export const controlToken = 'token-of-the-tests-0123456789'
export const siteHosts = { www: 'www.acme.test', admin: 'admin.acme.test' } as const

export interface ContractTask {
  url: string
  process: ChildProcess
  /** Lines of standard output and standard error, so far. */
  readLog(): string
  /** Sends a control request with the right token. */
  control(method: string, path: string, body?: RequestInit['body'] | object): Promise<Response>
  /** Resolves with the exit code, or the name of the signal that ended the process. */
  ended: Promise<number | string>
}

export interface ContractInstance {
  /** Where the data is, as environment variables. */
  storage: Record<string, string>
  folder: string
  startTask(env?: Record<string, string>): Promise<ContractTask>
  /** Kills all tasks and deletes the data. */
  end(): Promise<void>
}

/** Opens an instance with its data in a folder, or in a new database of this server. */
export async function openContractInstance(
  postgresUrl: string | null = null,
  program = sampleProgram,
): Promise<ContractInstance> {
  const folder = mkdtempSync(join(tmpdir(), 'contract-'))
  const database = `instance_${randomBytes(6).toString('hex')}`
  if (postgresUrl !== null) await runAsSuperuser(postgresUrl, 'postgres', [`create database ${database}`])
  const storage: Record<string, string> =
    postgresUrl === null ? { DATA_DIR: folder } : { DATABASE_URL: `${postgresUrl}/${database}` }
  const tasks: ContractTask[] = []
  return {
    storage,
    folder,
    async startTask(env = {}) {
      const task = await startContractTask({ ...storage, ...env }, program)
      tasks.push(task)
      return task
    },
    async end() {
      for (const task of tasks) task.process.kill('SIGKILL')
      await Promise.all(tasks.map(({ ended }) => ended))
      rmSync(folder, { recursive: true, force: true })
      if (postgresUrl !== null)
        await runAsSuperuser(postgresUrl, 'postgres', [`drop database ${database} with (force)`])
    },
  }
}

export const contractEnvironment = {
  SERVICE_CODE: 'acme',
  PUBLIC_URL: `http://${siteHosts.www}/`,
  ADMIN_URL: `http://${siteHosts.admin}/`,
  PORT: '0',
  CONTROL_TOKEN: controlToken,
}

/** Throws if the task ends before it listens. */
async function startContractTask(env: Record<string, string>, program: string): Promise<ContractTask> {
  const { child, readLog, ended } = spawnTask({ ...contractEnvironment, ...env }, program)
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const [, listeningPort] = /started on port (\d+)/.exec(readLog()) ?? []
      if (listeningPort !== undefined) resolve(listeningPort)
    })
    void ended.then((code) => reject(new Error(`the task ended with ${code}: ${readLog()}`)))
  })
  const url = `http://127.0.0.1:${port}`
  return { url, process: child, readLog, ended, control: (...call) => sendControl(url, ...call) }
}

/** Runs the program with exactly these variables. */
export function spawnTask(env: Record<string, string>, program = sampleProgram) {
  const child = spawn(process.execPath, [program, 'run'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  return { child, readLog: () => output, ended }
}

function sendControl(
  url: string,
  method: string,
  path: string,
  body?: RequestInit['body'] | object,
): Promise<Response> {
  const isJson =
    typeof body === 'object' && body !== null && [Object, Array].includes(body.constructor as ObjectConstructor)
  return fetch(`${url}/control/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${controlToken}` },
    ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as string), duplex: 'half' }),
  })
}

/** Writes the file of apps, and returns its variable. */
export function writeAppsFile(folder: string, apps: readonly object[]): { APPS_FILE: string } {
  const path = join(folder, `apps-${randomBytes(4).toString('hex')}.json`)
  writeFileSync(path, JSON.stringify(apps))
  return { APPS_FILE: path }
}
