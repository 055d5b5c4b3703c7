/**
 * Tools that others trust judge the product: its HTML, headers, OpenAPI document, regular expressions, SQL, calendars, audit log and TLS.
 * Their versions are fixed. A finding that `docs/quality.md` does not explain is a fault. Writes the results into that page.
 *
 * npm run campaign -- judges: all of them, one after the other.
 * npm run campaign -- judges redocly squawk: these.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accessibility } from '#tests/campaigns/judges/accessibility.ts'
import { auditLog } from '#tests/campaigns/judges/audit-log.ts'
import { calendars } from '#tests/campaigns/judges/calendars.ts'
import { chinese } from '#tests/campaigns/judges/chinese.ts'
import { csp } from '#tests/campaigns/judges/csp.ts'
import { html } from '#tests/campaigns/judges/html.ts'
import type { Finding, Judge, JudgeContext, Verdict } from '#tests/campaigns/judges/judge.ts'
import { migrationsSql } from '#tests/campaigns/judges/migrations-sql.ts'
import { observatory } from '#tests/campaigns/judges/observatory.ts'
import { type JudgePortal, startJudgePortal } from '#tests/campaigns/judges/portal.ts'
import {
  type ExplainedFinding,
  type JudgeResult,
  readExplainedFindings,
  saveResults,
  writePage,
} from '#tests/campaigns/judges/quality-page.ts'
import { redocly } from '#tests/campaigns/judges/redocly.ts'
import { regexes } from '#tests/campaigns/judges/regexes.ts'
import { responses } from '#tests/campaigns/judges/responses.ts'
import { tls } from '#tests/campaigns/judges/tls.ts'
import { wapiti } from '#tests/campaigns/judges/wapiti.ts'

const judges: readonly Judge[] = [
  chinese,
  regexes,
  migrationsSql,
  redocly,
  csp,
  observatory,
  calendars,
  auditLog,
  tls,
  wapiti,
  html,
  accessibility,
  responses,
]

const isExplained = ({ key }: Finding, line: ExplainedFinding) =>
  line.key.endsWith('*') ? key.startsWith(line.key.slice(0, -1)) : key === line.key

/** Prints the findings. Returns false if one is not explained. */
function report({ id, tool }: Judge, { result, findings }: Verdict, explained: readonly ExplainedFinding[]): boolean {
  const own = explained.filter(({ judge }) => judge === id)
  const openFindings = findings.filter((finding) => !own.some((line) => isExplained(finding, line)))
  console.log(`${id} (${tool}): ${result}, ${openFindings.length} not explained`)
  for (const key of new Set(openFindings.map((finding) => finding.key)))
    for (const { text } of openFindings.filter((finding) => finding.key === key)) console.log(`  [${key}]\n    ${text}`)
  for (const { key } of own.filter((line) => !findings.some((finding) => isExplained(finding, line))))
    console.log(`  No longer found, remove its line: [${key}]`)
  return openFindings.length === 0
}

export async function run(ids: string[]): Promise<void> {
  const unknownId = ids.find((id) => !judges.some((judge) => judge.id === id))
  if (unknownId !== undefined)
    throw new Error(`The judge "${unknownId}" does not exist. Judges: ${judges.map(({ id }) => id).join(', ')}.`)
  const folder = await mkdtemp(join(tmpdir(), 'portal-judges-'))
  const portals: Promise<JudgePortal>[] = []
  const openPortal = () => (portals[0] ??= startJudgePortal(folder))
  const context: JudgeContext = { folder, openPortal }
  const explained = readExplainedFindings()
  const results: JudgeResult[] = []
  try {
    for (const judge of judges.filter(({ id }) => ids.length === 0 || ids.includes(id))) {
      const { id, tool } = judge
      try {
        const verdict = await judge.judge(context)
        if (!report(judge, verdict, explained)) process.exitCode = 1
        results.push({ judge: id, tool, date: new Date().toISOString().slice(0, 10), result: verdict.result })
      } catch (error) {
        console.error(`${id} (${tool}) could not judge: ${String(error)}`)
        process.exitCode = 1
      }
    }
  } finally {
    // The portal may have failed to start, which its judge has reported.
    await portals[0]?.then(
      (portal) => portal.close(),
      () => undefined,
    )
    await rm(folder, { recursive: true, force: true })
  }
  writePage(saveResults(results))
}
