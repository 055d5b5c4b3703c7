import type { CheckResult } from '#server/use-cases/hosting/instance-check/check-instance.ts'

const lineWidth = 80
const labelWidth = 9

/** Formats a result as lines of at most 80 characters, unless a single word is longer. */
export function formatResult({ outcome, requirement, note, problem }: CheckResult): string {
  const title = wrapText(note === null ? requirement : `${requirement} (${note})`, labelWidth)
  const details =
    problem === null
      ? []
      : [
          ['expected:', problem.expected],
          ['got:', problem.actual],
          ['to do:', problem.advice],
        ].map(([label = '', text = '']) => indent(`${label.padEnd(10)}${wrapText(text, labelWidth + 10)}`))
  return [`${outcome.padEnd(labelWidth)}${title}`, ...details].join('\n')
}

export function formatSummary(results: readonly CheckResult[]): string {
  const count = (outcome: CheckResult['outcome']) => results.filter((result) => result.outcome === outcome).length
  const counts = (['ok', 'missing', 'wrong', 'skipped'] as const).map((outcome) => `${count(outcome)} ${outcome}`)
  return `${counts.join(', ')}. The requirements are in docs/instance.md.`
}

const indent = (text: string) => `${' '.repeat(labelWidth)}${text}`

/** Breaks a text between words. All lines but the first one are indented. */
function wrapText(text: string, indentation: number): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const isTooLong = line !== '' && indentation + line.length + 1 + word.length > lineWidth
    if (isTooLong) lines.push(line)
    line = isTooLong || line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join(`\n${' '.repeat(indentation)}`)
}
