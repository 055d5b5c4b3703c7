/** Reads the tasks of Swarm services and their logs through the Docker Engine API, from any node. */
import type { Readable } from 'node:stream'
import type Docker from 'dockerode'
import { HostingError, toHostingError } from '#server/drivers/hosting/hosting-driver.ts'
import { readLogFrames } from '#server/drivers/hosting/docker/logs/log-frames.ts'
import { readTaskLines, type TaskLine } from '#server/drivers/hosting/docker/logs/task-lines.ts'

export interface LoggedTask {
  id: string
  swarmServiceId: string
  /** Number of the task in its service, from 1. */
  number: number
  nodeId: string
  /** Epoch ms. */
  createdAt: number
  hasEnded: boolean
}

/** Lines from a time on, in seconds with a fraction (null for all), or only the last ones. A line of more than 16 KB counts several times. */
export type LogPart = { since: string | null } | { tail: number }

export interface SwarmLogs {
  /** Lists the tasks of the services that were given to a node, the oldest first. Unknown services have no tasks. */
  listTasks(swarmServiceIds: readonly string[]): Promise<LoggedTask[]>
  /**
   * Reads the lines of a task in the order in which they were written. Throws `unreachable` if the platform cannot read the log completely,
   * after all lines that it could read.
   */
  readTask(task: LoggedTask, part: LogPart): AsyncGenerator<TaskLine>
}

export interface SwarmLogsOptions {
  docker: Docker
  clock: () => number
  /** Time in ms in which the platform must send something. */
  silenceMs?: number | undefined
}

/** A node that is cut off makes a request wait forever, also after the manager has noticed that it is down. */
const defaultSilenceMs = 3000
const listTimeoutMs = 10_000
/** Time in ms for which a node is not tried again after it did not respond. */
const retryMs = 30_000
/** https://docs.docker.com/engine/swarm/how-swarm-mode-works/swarm-task-states/ */
const noLogMessage = 'The platform does not send its log.'
const endStates = new Set(['complete', 'failed', 'shutdown', 'rejected', 'orphaned', 'remove'])

export function createSwarmLogs({ docker, clock, silenceMs = defaultSilenceMs }: SwarmLogsOptions): SwarmLogs {
  /** Until when a node is not tried again. */
  const silentNodes = new Map<string, number>()

  async function requestTasks(swarmServiceIds: readonly string[]): Promise<SwarmTask[]> {
    try {
      const abort = new AbortController()
      const options = { filters: { service: [...swarmServiceIds] }, abortSignal: abort.signal }
      const tasks: unknown = await withTimeout(docker.listTasks(options), listTimeoutMs, () => abort.abort())
      return tasks as SwarmTask[]
    } catch (error) {
      if (!isMissing(error)) throw toHostingError(error, noLogMessage)
      if (swarmServiceIds.length === 1) return []
      const lists = await Promise.all(swarmServiceIds.map((id) => requestTasks([id])))
      return lists.flat()
    }
  }

  async function* readChunks(task: LoggedTask, part: LogPart): AsyncGenerator<Uint8Array> {
    if ((silentNodes.get(task.nodeId) ?? 0) > clock()) throw createSilenceError(task)
    const abort = new AbortController()
    let isSilent = false
    let response: Readable | null = null
    const awaitBytes = <Value>(step: Promise<Value>) =>
      withTimeout(step, silenceMs, () => {
        isSilent = true
        if (response) response.destroy(createSilenceError(task))
        else abort.abort()
      })
    try {
      response = await awaitBytes(openLog(docker, task.id, part, abort.signal))
      if (response === null) return
      const chunks = response[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
      for (;;) {
        const next = await awaitBytes(chunks.next())
        if (next.done) break
        yield next.value
      }
      silentNodes.delete(task.nodeId)
    } catch (error) {
      if (!isSilent) throw toHostingError(error, noLogMessage)
      silentNodes.set(task.nodeId, clock() + retryMs)
      throw createSilenceError(task)
    } finally {
      response?.destroy()
    }
  }

  return {
    async listTasks(swarmServiceIds) {
      if (swarmServiceIds.length === 0) return []
      const tasks = await requestTasks(swarmServiceIds)
      return tasks.flatMap(toLoggedTask).toSorted((a, b) => a.createdAt - b.createdAt)
    },
    readTask: (task, part) => readTaskLines(readLogFrames(readChunks(task, part)), task.hasEnded),
  }
}

/** Fields of the answer that are read. */
interface SwarmTask {
  ID: string
  ServiceID: string
  Slot?: number
  NodeID?: string
  CreatedAt: string
  Status?: { State?: string }
}

/** Returns nothing for a task without a node: it has no log yet. */
function toLoggedTask(task: SwarmTask): LoggedTask[] {
  const { ID: id, ServiceID: swarmServiceId, Slot: number, NodeID: nodeId, CreatedAt: createdAt, Status: status } = task
  if (!nodeId) return []
  const hasEnded = endStates.has(status?.State ?? '')
  return [{ id, swarmServiceId, number: number ?? 1, nodeId, createdAt: Date.parse(createdAt), hasEnded }]
}

/**
 * Returns null if there is no such task. dockerode's own method collects the complete log in memory, so this one uses its connection
 * directly.
 */
function openLog({ modem }: Docker, taskId: string, part: LogPart, abortSignal: AbortSignal): Promise<Readable | null> {
  const options = {
    stdout: true,
    stderr: true,
    timestamps: true,
    ...('since' in part && part.since === null ? {} : part),
  }
  const statusCodes = { 200: true, 404: 'no such task', 500: 'server error', 503: 'node is not part of a swarm' }
  const request = { path: `/tasks/${taskId}/logs?`, method: 'GET', isStream: true, abortSignal, options, statusCodes }
  return new Promise((resolve, reject) => {
    modem.dial(request, (error: unknown, response: unknown) => {
      if (error === null || error === undefined) resolve(response as Readable)
      else if (isMissing(error)) resolve(null)
      else reject(error)
    })
  })
}

/**
 * `onTimeout` must make the step fail. The signal of a call is aborted only until its response begins: dockerode also binds it to the
 * connection, and the error of a connection that is aborted later ends the process.
 */
async function withTimeout<Value>(step: Promise<Value>, timeoutMs: number, onTimeout: () => void): Promise<Value> {
  const timer = setTimeout(onTimeout, timeoutMs)
  try {
    return await step
  } finally {
    clearTimeout(timer)
  }
}

const isMissing = (error: unknown) => error instanceof Error && 'statusCode' in error && error.statusCode === 404

const createSilenceError = ({ nodeId }: LoggedTask) =>
  new HostingError('unreachable', `The node ${nodeId} does not send the log of its task.`)
