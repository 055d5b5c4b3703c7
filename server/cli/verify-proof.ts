/**
 * Checks the exported proof of an audit entry without the portal: `npm run verify-proof -- FILE --key KEY`. KEY is the log's key, or
 * a file that holds it, from a source that the reader trusts. Exit code 0: proven. 1: not, with the reason. 2: no key was given, so
 * nothing is proven; what the file says of its key is printed, to be compared.
 */
import { open } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { followHandovers } from '#domain/audit-log/checkpoint.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { fingerprintOf } from '#domain/audit-log/note.ts'
import {
  maxProofFile,
  type ProofFile,
  type ProofVerdict,
  readProofFile,
  verifyProofFile,
} from '#domain/audit-log/proof-file.ts'

class Trouble extends Error {}

const usage = `Usage:
  npm run verify-proof -- FILE --key KEY   checks the proof; KEY: the log's key (name+id+base64), or a file with it
  npm run verify-proof -- FILE --key KEY --handover NOTE
                                           KEY was changed since: NOTE is a file with a checkpoint that names the next key
  npm run verify-proof -- FILE             says which key the file was made with, and proves nothing`

/** A key has some 100 characters. */
const maxKeyFile = 10_000

/** At most so many bytes: nobody has to read a file of any size to be told that it is none of ours. */
async function readText(path: string, maxBytes: number): Promise<string> {
  const file = await open(path).catch(() => {
    throw new Trouble(`There is no file ${path} that can be read.`)
  })
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new Trouble(`${path} is no file.`)
    if (stat.size > maxBytes) throw new LogError('FILE_TOO_LARGE', `${stat.size} bytes; a proof has some thousands`)
    // The size may be out of date by now, the buffer is not.
    const buffer = Buffer.alloc(maxBytes + 1)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

async function keyFrom(given: string): Promise<string> {
  if (given.includes('+')) return given.trim()
  return (await readText(given, maxKeyFile)).trim()
}

/** The key that the given one names as its next, in a note that both have signed: as it stands in the weekly mail of that time. */
async function keyAfter(known: string, handover: string | undefined): Promise<string> {
  if (handover === undefined) return known
  const text = (await readText(handover, maxKeyFile)).replaceAll('\r\n', '\n').trim()
  // The mail has the key below the note.
  const note = `${text.replace(/\n\n[^\n—]+$/u, '')}\n`
  return followHandovers([note], known)
}

/** Text of the log for a terminal: no sign in it can move the cursor or hide what stands before (S-90). */
const shown = (value: unknown) =>
  (typeof value === 'string' ? value : JSON.stringify(value)).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (sign) =>
    [...sign].map((one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`).join(''),
  )

function sayProven({ leaf, index, checkpoint }: ProofVerdict & { kind: 'proven' }, key: string): void {
  const by = leaf.actor_company === null ? '' : `, of company ${shown(leaf.actor_company)}`
  const id = leaf.user_id === null ? '' : ` (user ${leaf.user_id})`
  const epoch = checkpoint.epoch === 0 ? '' : `, restored ${checkpoint.epoch} times`
  console.log(
    [
      'PROVEN: this entry stands in the log.',
      `Who:     ${shown(leaf.user_name || '(nobody)')}${id}${by}`,
      `What:    ${shown(leaf.code)} ${shown(leaf.operation)}${leaf.status === 0 ? '' : ' (failed)'}, in the trail of company ${leaf.company}`,
      ...Object.entries(leaf.info).map(([name, value]) => `         ${shown(name)}: ${shown(value)}`),
      ...leaf.changes.map(
        ({ field, before, after }) => `Changed: ${shown(field)}: ${shown(before)} -> ${shown(after)}`,
      ),
      `When:    ${timeOf(leaf.time)}`,
      `Entry:   ${leaf.id}, place ${index} (counted from 0)`,
      `Log:     ${shown(checkpoint.origin)}, ${checkpoint.size} entries${epoch}`,
      `Key:     ${fingerprintOf(key)}`,
      ...(checkpoint.nextKey === undefined || checkpoint.nextKey === key
        ? []
        : [`Next:    ${fingerprintOf(checkpoint.nextKey)}, the key that takes its place: ${checkpoint.nextKey}`]),
    ].join('\n'),
  )
}

/** Some safe integers are no time. */
const timeOf = (ms: number) => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms since 1970`)

function sayUnchecked(file: ProofFile): void {
  console.error(
    [
      'NOT CHECKED: no key was given, so nothing is proven. The file names this key:',
      `Key:         ${file.key}`,
      `Fingerprint: ${fingerprintOf(file.key)}`,
      'Compare it with the key that the weekly mail or the operator of the portal gave you, then run again with --key.',
    ].join('\n'),
  )
}

function argumentsOf(args: string[]): { path: string; key: string | undefined; handover: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { key: { type: 'string' }, handover: { type: 'string' } },
      allowPositionals: true,
    })
    const [path, ...rest] = positionals
    if (path !== undefined && rest.length === 0) return { path, key: values.key, handover: values.handover }
  } catch {
    // An option that is not ours, or one without its value.
  }
  throw new Trouble(usage)
}

async function run(args: string[]): Promise<number> {
  const { path, key: given, handover } = argumentsOf(args)
  const file = readProofFile(await readText(path, maxProofFile))
  if (given === undefined) {
    sayUnchecked(file)
    return 2
  }
  const key = await keyAfter(await keyFrom(given), handover)
  const verdict = verifyProofFile(file, key)
  if (verdict.kind === 'refused') throw new LogError(verdict.fault, verdict.detail)
  sayProven(verdict, key)
  return 0
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  if (error instanceof LogError) console.error(`NOT PROVEN (${error.code}): ${error.message}.`)
  else if (error instanceof Trouble) console.error(error.message)
  else throw error
  process.exitCode = 1
}
