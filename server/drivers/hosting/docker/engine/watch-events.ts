/** Follows the events of the Docker Engine, and connects again after an interruption, with growing delays. */
import { setTimeout as wait } from 'node:timers/promises'
import type { EngineApi } from '#server/drivers/hosting/docker/engine/engine-api.ts'

const minDelayMs = 500
const maxDelayMs = 30_000
/** A connection that lasted this long resets the delay. */
const stableMs = 10_000
const maxLineLength = 100_000

export interface EngineEvent {
  Type?: string
  Action?: string
  Actor?: { Attributes?: Record<string, string> }
}

export interface EventWatchOptions {
  api: EngineApi
  filters: Record<string, readonly string[]>
  clock: () => number
  isRelevant: (event: EngineEvent) => boolean
  /** Called for each relevant event, and after each connection, because events may have been missed. */
  onEvent: () => void
  /** Called when the engine does not respond any more, not for each attempt. */
  onLost: (error: unknown) => void
  signal: AbortSignal
}

export async function watchEvents({
  api,
  filters,
  clock,
  isRelevant,
  onEvent,
  onLost,
  signal,
}: EventWatchOptions): Promise<void> {
  let delayMs = minDelayMs
  let isLost = false
  while (!signal.aborted) {
    const startedAt = clock()
    try {
      const stream = await api.openEvents(filters, signal)
      // An idle connection to the engine must not keep a process alive that has nothing else to do.
      stream.socket.unref()
      isLost = false
      onEvent()
      for await (const line of splitLines(stream)) if (isRelevant(parseEvent(line))) onEvent()
    } catch (error) {
      if (signal.aborted) return
      if (!isLost) onLost(error)
      isLost = true
    }
    if (clock() - startedAt > stableMs) delayMs = minDelayMs
    await wait(delayMs, undefined, { signal, ref: false }).catch(() => undefined)
    delayMs = Math.min(maxDelayMs, delayMs * 2)
  }
}

/** An event that cannot be read is treated as one without content. */
function parseEvent(line: string): EngineEvent {
  try {
    return (JSON.parse(line) ?? {}) as EngineEvent
  } catch {
    return {}
  }
}

/** Cuts lines that are too long for an event. */
async function* splitLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + chunk.toString()).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield line
    if (rest.length <= maxLineLength) continue
    yield rest
    rest = ''
  }
}
