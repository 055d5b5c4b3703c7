/** Tests of the command with which providers check their image (docs/instance.md). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startContractServer } from '#tests/support/hosting/contract-server.ts'

const script = join(import.meta.dirname, '../../../server/cli/instance-check.ts')

async function run(...args: string[]): Promise<[code: number, output: string]> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = await once(child, 'close')
  return [Number(code), output]
}

const url = 'http://127.0.0.1:8080'
const token = 'a-token-of-a-test'

const refusedArguments: [string[], string][] = [
  [['--url', url], '--token is missing.'],
  [['--url', `${url}/health`, '--token', token], '--url must contain only'],
  [['--url', 'localhost:8080', '--token', token], '--url must be an address like'],
  [['--url', url, '--token', 'two words'], '--token must have'],
  [['--url', url, '--token', token, '--seconds', '0'], '--seconds must be a number from 1 to 3600'],
  [['--url', url, '--token', token, '--frob'], "Unknown option '--frob'"],
]

test('refuses wrong arguments with a sentence', async () => {
  const results = await Promise.all(refusedArguments.map(([args]) => run(...args)))
  expect(results).toEqual(refusedArguments.map(([, sentence]) => [1, expect.stringContaining(sentence)]))
}, 60_000)

test('prints a line for each requirement, and its exit code says whether all are met', async () => {
  const server = await startContractServer()
  const args = ['--url', server.url, '--token', server.token]
  const [code, output] = await run(...args, '--write')
  expect([code, output]).toEqual([0, expect.stringMatching(/^ok {7}GET \/health answers 200/m)])
  expect(output).toMatch(/^\d\d ok, 0 missing, 0 wrong, 0 skipped\./m)
  expect(output).not.toContain(server.token)
  server.misbehave = (request, response) => {
    const isPackageList = request.url === '/control/v1/packages' && request.method === 'GET'
    if (isPackageList) response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"No page."}')
    return isPackageList
  }
  const [failedCode, failedOutput] = await run(...args)
  expect(failedCode).toBe(1)
  expect(failedOutput).toContain(`
missing  GET /control/v1/packages lists the loaded packages
         expected: status 200 for GET /control/v1/packages
         got:      status 404: {"error":"No page."}
         to do:    answer with the SHA-256 of each loaded package
`)
  await server.close()
}, 60_000)
