/**
 * The packages `note` and `tlog` of Go's checksum database verify the audit trail: signatures, roots, proofs of entries and a proof that a
 * later checkpoint continues an earlier one. Their own checkpoints have a fixed first line, ours has the origin of the log (C2SP
 * tlog-checkpoint), so that the program replaces this line after the signature is checked.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fromBase64, toBase64 } from '#domain/audit-log/base64.ts'
import { readUnverifiedCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { formatProofFile } from '#domain/audit-log/proof-file.ts'
import { buildConsistencyProof, buildInclusionProof } from '#domain/audit-log/proofs.ts'
import { createNodeReader, listTilesRead, type NodeReader } from '#domain/audit-log/tiles.ts'
import type { Judge } from '#tests/campaigns/judges/judge.ts'
import { readDebianVersion, runProgram, setUpPrograms } from '#tests/campaigns/judges/tools.ts'
import type { Send } from '#tests/campaigns/proxies/client.ts'

const packageName = 'golang-golang-x-mod-dev'
/** Debian's folder of Go packages. */
const goPath = '/usr/share/gocode'

interface SignedNote {
  note: string
  key: string
}
interface LogRecord {
  index: number
  leaf?: string
  hash?: string
}

/** Throws unless the response is a success. */
async function readJson<T>(send: Send, path: string, input?: Record<string, unknown>): Promise<T> {
  const { status, body } = await send(path, {
    ...(input && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    }),
  })
  if (status >= 300) throw new Error(`${path} responded with ${status}: ${body.toString().slice(0, 300)}`)
  return JSON.parse(body.toString()) as T
}

/** Returns the newest checkpoint, which has more entries than `minSize`. */
async function readNote(send: Send, minSize: number): Promise<SignedNote & { size: number }> {
  for (let tries = 0; tries < 150; tries++) {
    const { note, key } = await readJson<{ note: string | null; key: string }>(send, '/api/systrail/checkpoint')
    const size = note === null ? 0 : readUnverifiedCheckpoint(note).size
    if (note !== null && size > minSize) return { note, key, size }
    await wait(200)
  }
  throw new Error(`the log did not grow beyond ${minSize} entries`)
}

const oneDayMs = 86_400_000
const formatDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** Returns all entries of the log, as a device stores them. */
async function readRecords(send: Send): Promise<LogRecord[]> {
  const days = { dateFrom: '2000-01-01', dateTo: formatDay(Date.now() + oneDayMs) }
  const { keep, from, to } = await readJson<{ keep: string; from: number; to: number }>(send, '/api/systrail/keep', {
    companyId: null,
    ...days,
  })
  const { body } = await send(`/api/systrail/export?format=ndjson&keep=${keep}&from=${from}&to=${to}`)
  const lines = body.toString().trim().split('\n').slice(1, -1)
  return lines.map((line) => JSON.parse(line) as LogRecord)
}

/** Builds a proof as a device does: from tiles that it reads from the portal. */
async function buildProof(send: Send, build: (read: NodeReader) => Uint8Array[]): Promise<Uint8Array[]> {
  const tiles = new Map<string, Uint8Array>()
  for (const { level, index } of listTilesRead(build)) {
    const { hashes } = await readJson<{ hashes: string }>(send, `/api/systrail/tile/${level}/${index}`)
    tiles.set(`${level}/${index}`, fromBase64(hashes) ?? new Uint8Array())
  }
  return build(createNodeReader((level, index) => tiles.get(`${level}/${index}`)))
}

async function exportLog(send: Send): Promise<string> {
  const older = await readNote(send, 1)
  // Renewing the address of the calendar and storing the trail add entries.
  await send('/api/m18s/calendar', { method: 'POST' })
  await readRecords(send)
  const newer = await readNote(send, older.size)
  const records = await readRecords(send)
  const proofs = []
  for (const { index, leaf } of records.slice(0, newer.size)) {
    if (leaf === undefined) continue
    const hashes = await buildProof(send, (read) => buildInclusionProof(index, newer.size, read))
    const { size, note: checkpoint, key } = newer
    proofs.push(JSON.parse(formatProofFile({ leaf, index, size, hashes, checkpoint, key })) as unknown)
  }
  const consistency = await buildProof(send, (read) => buildConsistencyProof(older.size, newer.size, read))
  return JSON.stringify({
    key: newer.key,
    oldNote: older.note,
    newNote: newer.note,
    records,
    proofs,
    consistency: consistency.map(toBase64),
  })
}

export const auditLog: Judge = {
  id: 'go-sumdb',
  get tool() {
    return `golang.org/x/mod ${readDebianVersion(packageName)}`
  },
  async judge({ folder, openPortal }) {
    setUpPrograms('--judges')
    const { sendAs } = await openPortal()
    const file = join(folder, 'audit-log.json')
    await writeFile(file, await exportLog(await sendAs('admin')))
    const { code, stdout, stderr } = await runProgram(
      'go',
      ['run', join(import.meta.dirname, 'audit-log', 'main.go'), file],
      // Without modules Go reads only the packages of Debian, and nothing from the network.
      { env: { GO111MODULE: 'off', GOPATH: goPath, GOFLAGS: '', GOCACHE: join(folder, 'go') } },
    )
    const lines = stdout.trimEnd().split('\n')
    const [, summary] = lines.at(-1)?.split('\t') ?? []
    const isDone = lines.at(-1)?.startsWith('done\t') === true
    if (code !== 0) throw new Error(`go ended with ${code}: ${stderr.slice(-2000)}`)
    const findings = lines
      .filter((line) => !line.startsWith('done\t'))
      .map((line) => ({ key: line.split('\t')[0] ?? line, text: line }))
    return { result: `${isDone ? summary : 'not complete'}, ${findings.length} findings`, findings }
  },
}
