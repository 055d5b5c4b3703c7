/** Logs of Swarm services over a real folder store, with a clock that the test sets and a store that fails when the test says so. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FileStore } from '#server/drivers/file-store/file-store.ts'
import { createFolderStore } from '#server/drivers/file-store/folder-store.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import type { InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'
import {
  createServiceLogs,
  type LoggedService,
  type ServiceLogs,
  type ServiceLogsOptions,
} from '#server/drivers/hosting/docker/logs/service-logs.ts'
import {
  type DockerLogServer,
  type FakeTask,
  formatTimestamp,
  startDockerLogs,
} from '#tests/support/hosting/docker-logs.ts'

const dayMs = 86_400_000
/** Three days ago at 10:00 UTC: before the times of the stored files, and within the retention. */
export const startAt = Math.floor(Date.now() / dayMs - 3) * dayMs + 10 * 3_600_000
export const service: LoggedService = { ref: { serviceId: 7, code: 'abc' }, swarmServiceIds: ['s1'] }
const everything = { from: 0, to: startAt * 2 }

type StoreCall = 'put' | 'get' | 'list' | 'remove'

export interface FailingStore {
  store: FileStore
  /** Number of calls so far. */
  calls: StoreCall[]
  /** Called before each call, and with `isDone` after it. Throws to let the call fail. */
  onCall: (call: StoreCall, isDone: boolean, key: string) => void
}

export function createFailingStore(inner: FileStore): FailingStore {
  const failing: FailingStore = { store: inner, calls: [], onCall: () => undefined }
  const enter = (call: StoreCall, key: string) => {
    failing.calls.push(call)
    failing.onCall(call, false, key)
  }
  failing.store = {
    ...inner,
    async put(key, body, options) {
      enter('put', key)
      const result = await inner.put(key, body, options)
      failing.onCall('put', true, key)
      return result
    },
    async *get(key, options) {
      enter('get', key)
      yield* inner.get(key, options)
    },
    async *list(prefix) {
      enter('list', prefix)
      yield* inner.list(prefix)
    },
    async remove(key) {
      enter('remove', key)
      await inner.remove(key)
      failing.onCall('remove', true, key)
    },
  }
  return failing
}

export const createUnreachableError = () => new StoreError('unreachable', 'The store of the tests does not respond.')

export interface ServiceLogsFixture {
  docker: DockerLogServer
  folder: string
  files: FailingStore
  /** Epoch ms. */
  now: number
  /** Events of the portal's log. */
  events: string[]
  /** Another node of the portal. */
  openLogs(options?: Partial<ServiceLogsOptions>): ServiceLogs
  addLine(task: FakeTask, text: string, options?: { time?: number; nanoseconds?: number; stream?: 1 | 2 }): void
  readLines(logs: ServiceLogs, range?: { from: number; to: number }, logged?: LoggedService): Promise<InstanceLogLine[]>
  readTexts(logs: ServiceLogs, range?: { from: number; to: number }): Promise<string[]>
  close(): Promise<void>
}

export async function openServiceLogs(store?: FileStore): Promise<ServiceLogsFixture> {
  const docker = await startDockerLogs()
  const folder = mkdtempSync(join(tmpdir(), 'service-logs-'))
  const openNodes: ServiceLogs[] = []
  const fixture: ServiceLogsFixture = {
    docker,
    folder,
    files: createFailingStore(store ?? createFolderStore({ folder, hasRoom: async () => true })),
    now: startAt,
    events: [],
    openLogs(options) {
      const logs = createServiceLogs({
        docker: docker.docker,
        files: fixture.files.store,
        clock: () => fixture.now,
        log: {
          warn: (fields: { event: string }) => void fixture.events.push(fields.event),
        } as ServiceLogsOptions['log'],
        ...options,
      })
      openNodes.push(logs)
      return logs
    },
    addLine(task, text, { time = fixture.now, nanoseconds = 0, stream = 1 } = {}) {
      task.lines.push({ timestamp: formatTimestamp(time, nanoseconds), stream, text })
    },
    readLines: (logs, range = everything, logged = service) => Array.fromAsync(logs.read(logged, range)),
    readTexts: async (logs, range) => (await fixture.readLines(logs, range)).map(({ text }) => text),
    async close() {
      fixture.files.onCall = () => undefined
      await Promise.all(openNodes.map((logs) => logs.close()))
      await docker.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return fixture
}
