/** testssl.sh on nginx with the file of `deploy`: protocols, ciphers, headers, certificate and known weaknesses. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Judge } from '#tests/campaigns/judges/judge.ts'
import { readDebianVersion, runProgram, setUpPrograms } from '#tests/campaigns/judges/tools.ts'

interface Entry {
  id: string
  severity: string
  finding: string
}

const harmless = new Set(['OK', 'INFO', 'DEBUG'])

export const tls: Judge = {
  id: 'testssl',
  get tool() {
    return `testssl.sh ${readDebianVersion('testssl.sh')}`
  },
  async judge({ folder, openPortal }) {
    setUpPrograms('--judges')
    const { httpsPort } = await openPortal()
    const file = join(folder, 'testssl.json')
    // The tests of single weaknesses take ten minutes, and are of versions of TLS and of ciphers that the other tests would name.
    const options = ['--protocols', '--std', '--server-defaults', '--headers']
    const { stdout } = await runProgram(
      'testssl',
      [
        ...options,
        '--ip',
        '127.0.0.1',
        '--nodns',
        'none',
        '--quiet',
        '--color',
        '0',
        '--warnings',
        'off',
        '--jsonfile',
        file,
        `localhost:${httpsPort}`,
      ],
      { timeoutMs: 600_000 },
    )
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text === '') throw new Error(stdout.slice(-2000))
    const entries = JSON.parse(text) as Entry[]
    const findings = entries
      .filter(({ severity }) => !harmless.has(severity))
      .map(({ id, severity, finding }) => ({ key: `${id} ${severity}`, text: `${severity} ${id}: ${finding}` }))
    return { result: `${entries.length} checks, ${findings.length} findings`, findings }
  },
}
