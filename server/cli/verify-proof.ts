/**
 * Checks the exported proof of an audit entry without the portal: `npm run verify-proof -- FILE --key KEY`. KEY is the log's key, or a file
 * that contains it, from a source that the reader trusts. Exit code 0: the entry is proven. 1: it is not proven, and the reason is printed.
 * 2: no key was given, so nothing is proven; the key named in the file is printed for comparison.
 */
import { open } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { followHandovers } from '#domain/audit-log/checkpoint.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { getFingerprint } from '#domain/audit-log/note.ts'
import {
  maxProofFileLength,
  type ProofFile,
  type ProofVerdict,
  readProofFile,
  verifyProofFile,
} from '#domain/audit-log/proof-file.ts'

class CommandError extends Error {}

const usage = `Usage:
  npm run verify-proof -- FILE --key KEY   checks the proof. KEY is the log's key (name+id+base64) or a file that contains it
  npm run verify-proof -- FILE --key KEY --handover NOTE
                                           if KEY was replaced later: NOTE is a file with the checkpoint that names the next key
  npm run verify-proof -- FILE             prints the key that signed the file, and proves nothing`

/** Maximum size of a key or handover file, in bytes. A key has about 100 characters. */
const maxKeyFile = 10_000

/** Reads at most `maxBytes` bytes, so that a huge file is refused without being read. */
async function readText(path: string, maxBytes: number): Promise<string> {
  const file = await open(path).catch(() => {
    throw new CommandError(`Could not read the file ${path}.`)
  })
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new CommandError(`${path} is not a file.`)
    if (stat.size > maxBytes)
      throw new LogError('FILE_TOO_LARGE', `the file has ${stat.size} bytes, but a proof has a few thousand`)
    // The file may have grown since `stat`, so the read is limited by the buffer.
    const buffer = Buffer.alloc(maxBytes + 1)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

async function readKey(text: string): Promise<string> {
  if (text.includes('+')) return text.trim()
  return (await readText(text, maxKeyFile)).trim()
}

/** Returns the next key from a handover note of the weekly mail, or `key` without a note. Both keys must have signed the note. */
async function followHandover(key: string, handover: string | undefined): Promise<string> {
  if (handover === undefined) return key
  const text = (await readText(handover, maxKeyFile)).replaceAll('\r\n', '\n').trim()
  // In the mail, the key follows the note.
  const note = `${text.replace(/\n\n[^\n—]+$/u, '')}\n`
  return followHandovers([note], key)
}

/** Escapes log text for a terminal: control characters could move the cursor or hide earlier output (S-90). */
const toPrintable = (value: unknown) =>
  (typeof value === 'string' ? value : JSON.stringify(value)).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (sign) =>
    [...sign].map((character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`).join(''),
  )

function printProof({ leaf, index, checkpoint }: ProofVerdict & { kind: 'proven' }, key: string): void {
  const actorText = leaf.actor_company === null ? '' : `, of company ${toPrintable(leaf.actor_company)}`
  const userText = leaf.user_id === null ? '' : ` (user ${leaf.user_id})`
  const epochText = checkpoint.epoch === 0 ? '' : `, restored ${checkpoint.epoch} times`
  console.log(
    [
      'PROVEN: this entry is in the log.',
      `Who:     ${toPrintable(leaf.user_name || '(nobody)')}${userText}${actorText}`,
      `What:    ${toPrintable(leaf.code)} ${toPrintable(leaf.operation)}${leaf.status === 0 ? '' : ' (failed)'}, in the trail of company ${leaf.company}`,
      ...Object.entries(leaf.info).map(([name, value]) => `         ${toPrintable(name)}: ${toPrintable(value)}`),
      ...leaf.changes.map(
        ({ field, before, after }) => `Changed: ${toPrintable(field)}: ${toPrintable(before)} -> ${toPrintable(after)}`,
      ),
      `When:    ${formatTime(leaf.time)}`,
      `Entry:   ${leaf.id}, position ${index} (counted from 0)`,
      `Log:     ${toPrintable(checkpoint.origin)}, ${checkpoint.size} entries${epochText}`,
      `Key:     ${getFingerprint(key)}`,
      ...(checkpoint.nextKey === undefined || checkpoint.nextKey === key
        ? []
        : [`Next:    ${getFingerprint(checkpoint.nextKey)}, the next key: ${checkpoint.nextKey}`]),
    ].join('\n'),
  )
}

/** Formats epoch ms. A safe integer beyond ±8.64e15 is not a valid time, so it is printed as a number. */
const formatTime = (ms: number) => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms since 1970`)

function printUnchecked(file: ProofFile): void {
  console.error(
    [
      'NOT CHECKED: no key was given, so nothing is proven. The file contains this key:',
      `Key:         ${file.key}`,
      `Fingerprint: ${getFingerprint(file.key)}`,
      'Compare it with the key from the weekly mail or from the operator of the portal. Then run the command again with --key.',
    ].join('\n'),
  )
}

function parseArguments(args: string[]): { path: string; key: string | undefined; handover: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { key: { type: 'string' }, handover: { type: 'string' } },
      allowPositionals: true,
    })
    const [path, ...rest] = positionals
    if (path !== undefined && rest.length === 0) return { path, key: values.key, handover: values.handover }
  } catch {
    // parseArgs throws for an unknown option and for an option without its value.
  }
  throw new CommandError(usage)
}

async function runCommand(args: string[]): Promise<number> {
  const { path, key: keyOption, handover } = parseArguments(args)
  const file = readProofFile(await readText(path, maxProofFileLength))
  if (keyOption === undefined) {
    printUnchecked(file)
    return 2
  }
  const key = await followHandover(await readKey(keyOption), handover)
  const verdict = verifyProofFile(file, key)
  if (verdict.kind === 'refused') throw new LogError(verdict.fault, verdict.detail)
  printProof(verdict, key)
  return 0
}

try {
  process.exitCode = await runCommand(process.argv.slice(2))
} catch (error) {
  if (error instanceof LogError) console.error(`NOT PROVEN (${error.code}): ${error.message}.`)
  else if (error instanceof CommandError) console.error(error.message)
  else throw error
  process.exitCode = 1
}
