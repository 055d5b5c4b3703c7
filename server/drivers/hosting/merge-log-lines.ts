import type { InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'

/** Lines of one origin, ordered by time. */
export interface LogSource {
  /** No line is older, in epoch ms. The source is opened when the merged log reaches this time. */
  earliest: number
  open: () => AsyncGenerator<InstanceLogLine>
}

interface OpenSource {
  index: number
  lines: AsyncGenerator<InstanceLogLine>
  head: InstanceLogLine
}

/** Yields the entry with the earliest time first; at equal times the lower task first, then the earlier source. Stores one line per source. */
export async function* mergeLogLines(sources: readonly LogSource[]): AsyncGenerator<InstanceLogLine> {
  const waiting = [...sources.entries()].toSorted(([, a], [, b]) => a.earliest - b.earliest)
  const openStreams = new Set<AsyncGenerator<InstanceLogLine>>()
  const active: OpenSource[] = []
  async function openNext(until: number): Promise<void> {
    const dueCount = waiting.findIndex(([, { earliest }]) => earliest > until)
    const due = waiting.splice(0, dueCount === -1 ? waiting.length : dueCount)
    const heads = await Promise.all(
      due.map(async ([index, source]) => {
        const lines = source.open()
        openStreams.add(lines)
        const head = await lines.next()
        return head.done ? null : { index, lines, head: head.value }
      }),
    )
    active.push(...heads.filter((head) => head !== null))
  }
  try {
    for (;;) {
      const first = findFirst(active)
      const [nextWaiting] = waiting
      if (nextWaiting && (first === undefined || nextWaiting[1].earliest <= first.head.time)) {
        await openNext(first?.head.time ?? nextWaiting[1].earliest)
        continue
      }
      if (first === undefined) return
      yield first.head
      const next = await first.lines.next()
      if (next.done) active.splice(active.indexOf(first), 1)
      else first.head = next.value
    }
  } finally {
    await Promise.allSettled([...openStreams].map((lines) => lines.return(undefined)))
  }
}

function findFirst(active: readonly OpenSource[]): OpenSource | undefined {
  let first: OpenSource | undefined
  for (const source of active) if (first === undefined || isBefore(source, first)) first = source
  return first
}

function isBefore({ head: a, index: i }: OpenSource, { head: b, index: j }: OpenSource): boolean {
  if (a.time !== b.time) return a.time < b.time
  return a.task === b.task ? i < j : a.task < b.task
}
