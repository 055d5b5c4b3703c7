/** zhlint on all Chinese texts. `npm run check` does the same; here its result is on record. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Judge } from '#tests/campaigns/judges/judge.ts'
import { root, runProgram } from '#tests/campaigns/judges/tools.ts'

const { version } = JSON.parse(readFileSync(join(root, 'node_modules', 'zhlint', 'package.json'), 'utf8')) as {
  version: string
}

export const chinese: Judge = {
  id: 'zhlint',
  tool: `zhlint ${version}`,
  async judge() {
    const { code, stderr } = await runProgram(process.execPath, [join('scripts', 'check-chinese.mjs')])
    const problems = stderr.split(/\n(?=src\/)/).filter((problem) => problem.startsWith('src/'))
    if (code !== 0 && problems.length === 0) throw new Error(stderr)
    return {
      result: `all Chinese texts, ${problems.length} findings`,
      findings: problems.map((problem) => ({ key: problem.split('\n')[0] ?? problem, text: problem })),
    }
  },
}
