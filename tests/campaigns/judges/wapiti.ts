/**
 * Wapiti, a scanner for weaknesses of websites: it follows the links of the pages, and attacks every reading call of the API, signed in as an
 * admin, with hostile values for each parameter.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding, Judge } from '#tests/campaigns/judges/judge.ts'
import type { JudgePortal } from '#tests/campaigns/judges/portal.ts'
import { readDebianVersion, runProgram, setUpPrograms } from '#tests/campaigns/judges/tools.ts'

const modules = ['cookieflags', 'crlf', 'csp', 'exec', 'file', 'http_headers', 'redirect', 'sql', 'xss']
/** Seconds for reading the pages, and for the attacks of one module. */
const [maxScanSeconds, maxAttackSeconds] = [30, 15]

interface Report {
  vulnerabilities: Record<string, { method: string; path: string; info: string; parameter: string | null }[]>
  anomalies: Report['vulnerabilities']
  infos: { target: string; crawled_pages?: unknown }
}

interface Operation {
  operationId: string
  parameters?: { name: string; in: string; schema?: { enum?: string[]; type?: string } }[]
}

/** Returns an address with a value for each parameter of each reading call. */
async function listAddresses({ url, send }: JudgePortal): Promise<string[]> {
  const { body } = await send('/api/openapi.json')
  const { paths } = JSON.parse(body.toString()) as { paths: Record<string, Record<string, Operation>> }
  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (!get) return []
    const parameters = (get.parameters ?? []).filter((parameter) => parameter.in === 'query')
    const query = new URLSearchParams(
      parameters.map((parameter) => [parameter.name, parameter.schema?.enum?.[0] ?? '1']),
    )
    return [`${url}${path.replace(/\{\w+\}/g, '1')}${parameters.length > 0 ? `?${query}` : ''}`]
  })
}

/** Numbers, and the random parts of addresses, differ between runs. */
const normalise = (path: string) => path.replace(/\?.*/, '').replace(/\d+/g, 'N')

const toFindings = (kind: string, entries: Report['vulnerabilities']): Finding[] =>
  Object.entries(entries).flatMap(([name, list]) =>
    list.map(({ method, path, info, parameter }) => ({
      key: `${name} ${method} ${normalise(path)}${parameter ? ` ${parameter}` : ''}`,
      text: `${kind}: ${info} ${path}`,
    })),
  )

export const wapiti: Judge = {
  id: 'wapiti',
  get tool() {
    return `wapiti ${readDebianVersion('wapiti')}`
  },
  async judge({ folder, openPortal }) {
    setUpPrograms('--judges')
    const portal = await openPortal()
    const addresses = await listAddresses(portal)
    const file = join(folder, 'wapiti.json')
    const { code, stdout, stderr } = await runProgram(
      'wapiti',
      [
        `--url=${portal.url}/`,
        '--scope=domain',
        '--format=json',
        `--output=${file}`,
        `--module=${modules.join()}`,
        '--verify-ssl=0',
        '--flush-session',
        '--no-bugreport',
        `--max-scan-time=${maxScanSeconds}`,
        `--max-attack-time=${maxAttackSeconds}`,
        `--header=Authorization: ${await portal.authorize('admin')}`,
        `--store-session=${join(folder, 'wapiti')}`,
        ...addresses.flatMap((address) => ['--start', address]),
      ],
      { timeoutMs: 900_000, env: { HOME: folder } },
    )
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text === '') throw new Error(`wapiti ended with ${code}: ${stdout.slice(-1000)} ${stderr.slice(-1000)}`)
    const { vulnerabilities, anomalies } = JSON.parse(text) as Report
    const findings = [...toFindings('weakness', vulnerabilities), ...toFindings('anomaly', anomalies)]
    return {
      result: `${addresses.length} calls and the pages, ${modules.length} modules, ${findings.length} findings`,
      findings,
    }
  },
}
