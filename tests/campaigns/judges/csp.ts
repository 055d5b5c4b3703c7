/** Google's CSP Evaluator on every content security policy that the portal sends. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Judge } from '#tests/campaigns/judges/judge.ts'
import { importFile, installPackage } from '#tests/campaigns/judges/tools.ts'

const [name, version] = ['csp_evaluator', '1.1.8'] as const

/** One address of each kind of response. */
const paths = ['/', '/index.html', '/saas/', '/saas/login', '/saas/sw.js', '/api/openapi.json', '/api/none', '/none']

interface Evaluation {
  type: number
  description: string
  severity: number
  directive: string
  value?: string
}

interface Exports {
  default: {
    CspEvaluator: new (csp: unknown) => { evaluate(): Evaluation[] }
    CspParser: new (policy: string) => { csp: unknown }
    Type: Record<number, string>
    Severity: Record<number, string>
  }
}

/** The package has no file that exports all parts. */
const entryText = `module.exports = {
  ...require('./evaluator.js'), ...require('./parser.js'), ...require('./finding.js')
}
`

const hideNonce = (policy: string) => policy.replace(/'nonce-[^']+'/g, "'nonce-NONCE'")

export const csp: Judge = {
  id: 'csp',
  tool: `${name} ${version}`,
  async judge({ openPortal }) {
    const folder = join(await installPackage(name, version), 'dist')
    await writeFile(join(folder, 'entry.cjs'), entryText)
    const { CspEvaluator, CspParser, Type, Severity } = (await importFile<Exports>(folder, 'entry.cjs')).default
    const { send } = await openPortal()
    const policies = new Map<string, { path: string; policy: string }>()
    const findings = []
    for (const path of paths) {
      const { headers, status } = await send(path, { headers: { accept: 'text/html' } })
      const policy = String(headers['content-security-policy'] ?? '')
      if (policy === '') findings.push({ key: `${path} none`, text: `${path}, ${status}: no policy` })
      const key = hideNonce(policy)
      if (policy !== '' && !policies.has(key)) policies.set(key, { path, policy })
    }
    for (const { path, policy } of policies.values()) {
      for (const { type, description, severity, directive, value = '' } of new CspEvaluator(
        new CspParser(policy).csp,
      ).evaluate()) {
        const key = hideNonce(`${path} ${Type[type]} ${directive} ${value}`).trim()
        findings.push({ key, text: `${Severity[severity]}: ${description}` })
      }
    }
    return {
      result: `${policies.size} policies of ${paths.length} addresses, ${findings.length} findings`,
      findings,
    }
  },
}
