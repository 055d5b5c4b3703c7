/** Mozilla's HTTP Observatory on the portal behind nginx. Its program reaches only public hosts, so its parts are called here. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { Finding, Judge } from '#tests/campaigns/judges/judge.ts'
import { importFile, installPackage } from '#tests/campaigns/judges/tools.ts'

const [name, version] = ['@mdn/mdn-http-observatory', '1.4.8'] as const
const paths = ['/', '/saas/login', '/saas/app/home']

interface TestResult {
  constructor: { name: string }
  pass: boolean
  result: string
}

interface Retriever {
  retrieve(host: string, options: { httpPort: number; httpsPort: number; path: string }): Promise<unknown>
}
interface Constants {
  ALL_TESTS: ((requests: unknown) => TestResult)[]
}
interface Grader {
  getScoreModifier(result: string): number
  getScoreDescription(result: string): string
  getGradeForScore(score: number): { grade: string; score: number }
}
interface Charts {
  MINIMUM_SCORE_FOR_EXTRA_CREDIT: number
}

export const observatory: Judge = {
  id: 'observatory',
  tool: `${name} ${version}`,
  async judge({ openPortal }) {
    const folder = await installPackage(name, version)
    // The lists of browsers' preloaded hosts and of top-level domains are downloaded from elsewhere. The host here is in neither.
    for (const list of ['hsts-preload.json', 'tld-list.json']) await writeFile(join(folder, 'conf', list), '[]')
    const { retrieve } = await importFile<Retriever>(folder, 'src/retriever/retriever.js')
    const { ALL_TESTS } = await importFile<Constants>(folder, 'src/constants.js')
    const grader = await importFile<Grader>(folder, 'src/grader/grader.js')
    const { MINIMUM_SCORE_FOR_EXTRA_CREDIT } = await importFile<Charts>(folder, 'src/grader/charts.js')
    const { certificateFile, httpPort, httpsPort } = await openPortal()
    setDefaultCACertificates([...getCACertificates(), await readFile(certificateFile, 'utf8')])
    const [grades, findings]: [string[], Finding[]] = [[], []]
    for (const path of paths) {
      const requests = await retrieve('localhost', { httpPort, httpsPort, path })
      const results = ALL_TESTS.map((test) => test(requests))
      const modifiers = results.map(({ result }) => grader.getScoreModifier(result))
      const sum = (values: number[]) => values.reduce((total, value) => total + value, 100)
      const score = sum(modifiers.filter((modifier) => modifier < 0))
      const { grade } = grader.getGradeForScore(score >= MINIMUM_SCORE_FOR_EXTRA_CREDIT ? sum(modifiers) : score)
      grades.push(`${path} ${grade} (${sum(modifiers)})`)
      if (grade !== 'A+') findings.push({ key: `${path} grade`, text: `the grade is ${grade}` })
      results.forEach(({ pass, result }, index) => {
        const isLower = (modifiers[index] ?? 0) < 0
        if (!pass || isLower) findings.push({ key: `${path} ${result}`, text: grader.getScoreDescription(result) })
      })
    }
    return { result: grades.join(', '), findings }
  },
}
