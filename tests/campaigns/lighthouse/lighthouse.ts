/** Runs Lighthouse, which is installed at a fixed version into the cache folder at its first use, because only this campaign needs it. */
import { join } from 'node:path'
import { installPackage, runProgram } from '#tests/campaigns/judges/tools.ts'

const version = '13.5.0'

/** Maximum time of one measurement, ms. */
const timeoutMs = 180_000

export const categoryIds = ['performance', 'accessibility', 'best-practices', 'seo'] as const
export type CategoryId = (typeof categoryIds)[number]

export type FormFactor = 'mobile' | 'desktop'

export interface LighthouseResult {
  /** From 0 to 1. Null if Lighthouse could not measure the category. */
  scores: Record<CategoryId, number | null>
  /** Audits that lower the score of a category other than performance, with the affected elements. */
  failedAudits: string[]
  /** Values behind the score of performance, as text. */
  timings: string
}

interface AuditReport {
  score: number | null
  scoreDisplayMode: string
  title: string
  displayValue?: string
  details?: { items?: { node?: { snippet?: string }; description?: string; url?: string }[] }
}

interface Report {
  finalDisplayedUrl: string
  runtimeError?: { code: string; message: string }
  categories: Record<CategoryId, { score: number | null; auditRefs: { id: string; weight: number }[] }>
  audits: Record<string, AuditReport>
}

/** Installs Lighthouse unless the cache folder has it. Returns the path of its program. Throws if the package registry cannot be reached. */
export async function installLighthouse(): Promise<string> {
  return join(await installPackage('lighthouse', version), 'cli', 'index.js')
}

/**
 * Measures one page in the browser of this debugging port. `isSignedIn` keeps cookies, storage and the service worker, which Lighthouse
 * otherwise clears before each measurement. Throws if the page was redirected.
 */
export async function measurePage(
  url: string,
  { port, formFactor, isSignedIn }: { port: number; formFactor: FormFactor; isSignedIn: boolean },
): Promise<LighthouseResult> {
  const args = [
    await installLighthouse(),
    url,
    `--port=${port}`,
    '--output=json',
    '--quiet',
    '--throttling-method=simulate',
    `--only-categories=${categoryIds.join()}`,
    ...(formFactor === 'desktop' ? ['--preset=desktop'] : []),
    ...(isSignedIn ? ['--disable-storage-reset'] : []),
  ]
  const { code, stdout, stderr } = await runProgram(process.execPath, args, { timeoutMs })
  if (code !== 0) throw new Error(`Lighthouse ended with ${code}: ${stderr.slice(-2000)}`)
  const report: Report = JSON.parse(stdout)
  if (report.runtimeError) throw new Error(`${url}: ${report.runtimeError.message}`)
  // Without its session, a page is redirected to the login.
  if (report.finalDisplayedUrl !== url) throw new Error(`${url} was redirected to ${report.finalDisplayedUrl}`)
  const scores = Object.fromEntries(categoryIds.map((id) => [id, report.categories[id].score]))
  return {
    scores: scores as LighthouseResult['scores'],
    failedAudits: listFailedAudits(report),
    timings: ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time', 'cumulative-layout-shift']
      .map((id) => report.audits[id]?.displayValue ?? '–')
      .join(' · '),
  }
}

function listFailedAudits({ categories, audits }: Report): string[] {
  const ids = categoryIds
    .filter((id) => id !== 'performance')
    .flatMap((id) => categories[id].auditRefs.filter(({ weight }) => weight > 0).map((reference) => reference.id))
  return [...new Set(ids)].flatMap((id) => {
    const audit = audits[id]
    if (!audit || audit.score === null || audit.score >= 1) return []
    const details = (audit.details?.items ?? [])
      .slice(0, 5)
      .map(({ node, description, url }) => node?.snippet ?? description ?? url ?? '')
    return [`${id} (${audit.title}): ${details.join(' | ')}`]
  })
}
