/**
 * Checks titles of commits: at most 72 characters, beginning with a verb in the imperative. Some exceptions are allowed, as merges by
 * other tools have titles of their own.
 *
 *   node scripts/check-commits.mjs [number of commits, 50 by default]
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { verbs, maxLength, maxLongPercent, maxOtherPercent } = JSON.parse(
  readFileSync(join(root, 'scripts', 'commit-titles.json'), 'utf8'),
)
const count = Number(process.argv[2] ?? 50)
const verbPattern = new RegExp(`^(?:[a-z-]+(?:\\([\\w-]+\\))?: )?(?:${verbs.join('|')})\\b`)

function readTitles() {
  const args = ['log', '--no-merges', '--format=%s', '-n', String(count)]
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
}

const titles = readTitles()
const problems = [
  [`longer than ${maxLength} characters`, titles.filter((title) => title.length > maxLength), maxLongPercent],
  ['not imperative', titles.filter((title) => !verbPattern.test(title)), maxOtherPercent],
].filter(([, matches, maxPercent]) => matches.length * 100 > titles.length * maxPercent)

for (const [name, matches, maxPercent] of problems)
  console.error(
    `${matches.length} of the last ${titles.length} commit titles are ${name} (at most ${maxPercent} %):\n  ${matches.join('\n  ')}`,
  )
process.exitCode = problems.length > 0 ? 1 : 0
