/** Twenty clients that read and write all the time. Each changes a user of its own, so that its writes can be counted in the end. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import {
  createClient,
  type ProxyResponse,
  type RequestInput,
  type Send,
  signIn,
} from '#tests/campaigns/proxies/client.ts'
import type { Nodes } from '#tests/campaigns/proxies/nodes.ts'

/** `never`: each failure is a fault. `failed`: a read is repeated, and a write with its key, as a device does. */
export type RepeatMode = 'never' | 'failed'

export interface LoadReport {
  requests: number
  repeats: number
  faults: string[]
}

export interface Load {
  /** Sends requests until `isOver` returns true. */
  run(mode: RepeatMode, isOver: () => boolean): Promise<LoadReport>
  /** Returns the writes that are missing or took effect twice. */
  findWrongRows(): Promise<string[]>
  close(): void
}

const clientCount = 20
/** Reads and pauses before each write. All clients are one user, who may write 1,200 times a minute. */
const reads = { count: 4, pauseMs: 100 }
const maxRepeatMs = 20_000

interface LoadClient {
  send: Send
  creationKey: string
  previousKey: string
  writeCount: number
}

export async function openLoad(port: number, certificate: string, nodes: Nodes): Promise<Load> {
  const clients = Array.from({ length: clientCount }, () => createClient(port, certificate))
  const token = await signIn(clients[0]!.send, 'alpha:admin@alpha.example')
  const authorization = `Bearer ${token}`
  await nodes.withApp(async ({ database }) => {
    await sql`delete from attempt where subject like 'invitations of %'`.execute(database.kysely)
  })
  const loadClients = await Promise.all(clients.map(({ send }) => createOwnUser(send, authorization)))
  return {
    async run(mode, isOver) {
      const report: LoadReport = { requests: 0, repeats: 0, faults: [] }
      await Promise.all(loadClients.map((client) => runClient({ client, authorization, mode, isOver, report })))
      return report
    },
    findWrongRows: () => findWrongRows(nodes, loadClients),
    close: () => clients.forEach((client) => client.close()),
  }
}

async function createOwnUser(send: Send, authorization: string): Promise<LoadClient> {
  const creationKey = randomUUID()
  const { status, body } = await send('/api/m18s/user', {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', 'idempotency-key': creationKey },
    body: JSON.stringify({ title: 0, name: 'Load', email: `${creationKey}@alpha.example` }),
  })
  if (status !== 200) throw new Error(`the creation of a user returned ${status} ${body.toString()}`)
  return { send, creationKey, previousKey: creationKey, writeCount: 1 }
}

interface ClientRun {
  client: LoadClient
  authorization: string
  mode: RepeatMode
  isOver: () => boolean
  report: LoadReport
}

async function runClient(run: ClientRun): Promise<void> {
  const { client, authorization, isOver } = run
  while (!isOver()) {
    for (let read = 0; read < reads.count && !isOver(); read++) {
      await sendUntilDone(run, '/api/m18s/user', { headers: { authorization } })
      await wait(reads.pauseMs)
    }
    const key = randomUUID()
    const isDone = await sendUntilDone(run, `/api/m18s/company-user/~${client.creationKey}`, {
      method: 'PUT',
      headers: {
        authorization,
        'content-type': 'application/json',
        'idempotency-key': key,
        'if-match': `"~${client.previousKey}"`,
      },
      body: JSON.stringify({ title: client.writeCount % 3 }),
    })
    // Without a result the row is unknown, and later writes of this client would only repeat the fault.
    if (!isDone) return
    client.previousKey = key
    client.writeCount += 1
  }
}

/** Returns false after a fault. */
async function sendUntilDone({ client, mode, report }: ClientRun, path: string, input: RequestInput): Promise<boolean> {
  const deadline = performance.now() + maxRepeatMs
  for (;;) {
    report.requests += 1
    const response = await client.send(path, input).catch((error: unknown) => String(error))
    if (typeof response !== 'string' && response.status === 200 && response.isComplete) return true
    const isRepeatable = typeof response === 'string' || response.status >= 502 || !response.isComplete
    if (mode === 'never' || !isRepeatable || performance.now() > deadline) {
      report.faults.push(`${input.method ?? 'GET'} ${path.slice(0, 24)}: ${describe(response)}`)
      return false
    }
    report.repeats += 1
    await wait(100)
  }
}

const describe = (response: ProxyResponse | string) =>
  typeof response === 'string' ? response : `${response.status} ${response.body.toString().slice(0, 120)}`

async function findWrongRows(nodes: Nodes, clients: readonly LoadClient[]): Promise<string[]> {
  const faults: string[] = []
  await nodes.withApp(async ({ database }) => {
    const rows = await database.kysely
      .selectFrom('portal_user')
      .select(['email', 'row_version'])
      .where(
        'email',
        'in',
        clients.map(({ creationKey }) => `${creationKey}@alpha.example`),
      )
      .execute()
    const versions = new Map(rows.map(({ email, row_version }) => [email, row_version]))
    for (const { creationKey, writeCount } of clients) {
      const version = versions.get(`${creationKey}@alpha.example`)
      if (version !== writeCount) faults.push(`a row has version ${version} after ${writeCount} writes`)
    }
  })
  return faults
}
