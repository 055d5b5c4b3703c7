/**
 * B1 to B5: a list of 100,000 rows kept on the device, in Chromium, through the product's own files, against IndexedDB
 * by hand with one compound index for each question and `count()`, in the same page and run.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { build } from 'vite'
import { openProfile } from '#tests/support/browser.ts'
import { type Bench, type Figure, median, ratio } from './figures.ts'

/** A comparison is three runs of thirty, as the peers were measured; the first few of each only warm up. */
const rounds = { fill: 2, compare: 30, runs: 3, answer: 90, click: 300, warm: 5 }
const root = join(import.meta.dirname, '..')

async function measure(tell: (line: string) => void): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-lists-'))
  const site = await serve(join(folder, 'site'))
  // On disk, as people have it: a browser without a profile keeps its databases in memory.
  const context = await openProfile(join(folder, 'profile'))
  try {
    return await figures(await openPage(context, site.port), tell)
  } finally {
    await context.close()
    await site.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function serve(outDir: string): Promise<{ port: number; stop: () => Promise<void> }> {
  await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    define: { __BUILD__: '"bench"' },
    build: {
      outDir,
      target: 'es2023',
      modulePreload: false,
      rollupOptions: {
        input: join(root, 'bench', 'lists', 'page.ts'),
        output: { entryFileNames: 'page.js', chunkFileNames: '[name].js' },
      },
    },
  })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const name = new URL(request.url ?? '/', 'http://bench').pathname.slice(1)
    if (name === '')
      return response.setHeader('content-type', 'text/html').end('<script type="module" src="page.js"></script>')
    const text = await readFile(join(outDir, name)).catch(() => null)
    if (text === null) return response.writeHead(404).end()
    return response.setHeader('content-type', 'text/javascript').end(text)
  }
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a listening socket has no port')
  return {
    port: address.port,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function openPage(context: BrowserContext, port: number): Promise<{ page: Page; cdp: CDPSession }> {
  const page = await context.newPage()
  await page.goto(`http://127.0.0.1:${port}/`)
  await page.waitForFunction(() => 'listBench' in globalThis)
  return { page, cdp: await context.newCDPSession(page) }
}

async function heapMb(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage')
  const {
    usedSize,
    embedderHeapUsedSize = 0,
    backingStorageSize = 0,
  } = (await cdp.send('Runtime.getHeapUsage')) as {
    usedSize: number
    embedderHeapUsedSize?: number
    backingStorageSize?: number
  }
  return (usedSize + embedderHeapUsedSize + backingStorageSize) / 1e6
}

interface Pair {
  ours: number
  raw: number
}

async function figures(
  { page, cdp }: { page: Page; cdp: CDPSession },
  tell: (line: string) => void,
): Promise<Figure[]> {
  const rowCount = await page.evaluate(() => globalThis.listBench.rowCount)
  const fill = (count: number, first: boolean) =>
    page.evaluate(([rows, ours]) => globalThis.listBench.fill(rows, ours), [count, first] as const)
  await fill(rowCount / 10, true)
  const small = await heapMb(cdp)
  const fillings: Pair[] = []
  for (let n = 0; n < rounds.fill; n++) {
    const filling = await fill(rowCount, n % 2 === 0)
    fillings.push(filling)
    tell(`fill  ours ${filling.ours.toFixed(0)} ms, raw ${filling.raw.toFixed(0)} ms`)
  }
  const large = await heapMb(cdp)
  const [typed, ranged]: [Pair[], Pair[]] = [[], []]
  for (let run = 0; run < rounds.runs; run++)
    for (const pairs of [typed, ranged])
      for (let n = -rounds.warm; n < rounds.compare; n++) {
        const asked = [run * rounds.compare + n + rounds.warm, pairs === typed] as const
        const pair = await page.evaluate((given) => globalThis.listBench.compare(...given), asked)
        if (n >= 0) pairs.push(pair)
      }
  const opened: number[] = []
  for (let n = 0; n < rounds.answer; n++) opened.push(await page.evaluate(() => globalThis.listBench.open()))
  const answered: number[] = []
  for (let n = 0; n < rounds.answer; n++) answered.push(await page.evaluate(() => globalThis.listBench.answer()))
  const clicks = await clicked(page)
  const clickedHeap = await heapMb(cdp)
  const against = (id: string, what: string, pairs: Pair[], hard: number, stretch: number): Figure => ({
    id,
    what,
    value: ratio(
      pairs.map(({ ours }) => ours),
      pairs.map(({ raw }) => raw),
    ),
    unit: 'x',
    better: 'less',
    hard,
    stretch,
    note: `${median(pairs.map(({ ours }) => ours)).toFixed(1)} ms against ${median(pairs.map(({ raw }) => raw)).toFixed(1)}`,
  })
  const p90 = clicks.toSorted((a, b) => a - b)[Math.floor(clicks.length * 0.9)] ?? null
  return [
    against('B1', 'type and range, first page with exact count, vs raw', typed, 0.15, 0.06),
    against('B2', 'range only, first page with exact count, vs raw', ranged, 0.1, 0.04),
    {
      id: 'B3',
      what: 'rows a second of a fill vs raw',
      value: ratio(
        fillings.map(({ raw }) => raw),
        fillings.map(({ ours }) => ours),
      ),
      unit: 'x',
      better: 'more',
      hard: 0.9,
      stretch: 1.2,
      note: `${median(fillings.map(({ ours }) => (rowCount / ours) * 1000)).toFixed(0)} rows/s against ${median(fillings.map(({ raw }) => (rowCount / raw) * 1000)).toFixed(0)}`,
    },
    {
      id: 'B3',
      what: 'heap with 100,000 rows kept vs with 10,000',
      value: large / small,
      unit: 'x',
      better: 'less',
      hard: 1.25,
      stretch: 1.1,
      note: `${large.toFixed(1)} MB against ${small.toFixed(1)}`,
    },
    {
      id: 'B4',
      what: 'any filter, order and page of 100,000 rows, p90',
      value: p90,
      unit: 'ms',
      better: 'less',
      hard: 16,
      stretch: 5,
      // What else runs on the machine is seen by the peer: alone, its count of a quarter takes some 55 ms.
      note: `median ${median(clicks).toFixed(1)} ms, the list as it opens ${median(opened).toFixed(1)}, raw's range ${median(ranged.map(({ raw }) => raw)).toFixed(0)}; heap after them ${clickedHeap.toFixed(1)} MB`,
    },
    {
      id: 'B4',
      what: 'the same vs raw counting a quarter of them',
      value: p90 === null ? null : p90 / median(ranged.map(({ raw }) => raw)),
      unit: 'x',
      better: 'less',
      hard: 0.3,
      stretch: 0.1,
    },
    {
      id: 'B5',
      what: 'the corridor answers the kept list without a line, median',
      value: median(answered),
      unit: 'ms',
      better: 'less',
      hard: 5,
      stretch: 3,
    },
  ]
}

async function clicked(page: Page): Promise<number[]> {
  let state = 20_261_121
  const chance = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const clicks: number[] = []
  for (let n = 0; n < rounds.click; n++) {
    const dice = Array.from({ length: 9 }, chance)
    clicks.push(await page.evaluate((given) => globalThis.listBench.click(given), dice))
  }
  return clicks
}

export const lists: Bench = { ids: ['B1', 'B2', 'B3', 'B4', 'B5'], measure }
