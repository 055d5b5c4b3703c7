/** A judge is a tool of others that judges the product. */
import type { JudgePortal } from '#tests/campaigns/judges/portal.ts'

export interface Finding {
  /** Stays the same between runs: no ports, random values or numbers of lines. `docs/quality.md` explains a finding by its key. */
  key: string
  /** What the judge says and where, for the person who corrects it. */
  text: string
}

export interface Verdict {
  /** What was judged and how it went, such as "420 expressions, 3 findings", without a line break. */
  result: string
  findings: Finding[]
}

export interface JudgeContext {
  /** A folder for files of this run, deleted at its end. */
  folder: string
  /** Starts the portal at the first call. All judges share it. */
  openPortal(): Promise<JudgePortal>
}

export interface Judge {
  id: string
  /** Name of the tool and its version, such as `squawk-cli 2.66.0`. */
  tool: string
  judge(context: JudgeContext): Promise<Verdict>
}
