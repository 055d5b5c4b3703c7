/** Redocly's linter, with its recommended rules, on the OpenAPI document that the portal serves. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Judge } from '#tests/campaigns/judges/judge.ts'
import { installPackage, runProgram } from '#tests/campaigns/judges/tools.ts'

const [name, version] = ['@redocly/cli', '2.77.0'] as const

interface Report {
  totals: { errors: number; warnings: number }
  problems: { ruleId: string; severity: string; message: string; location: { pointer?: string }[] }[]
}

/** The tool would otherwise ask for a newer version of itself and send figures about its use. */
export const redoclyEnvironment = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

/** Returns the path of the program. */
export const installRedocly = async (): Promise<string> => join(await installPackage(name, version), 'bin', 'cli.js')

export const redoclyTool = `${name} ${version}`

export const redocly: Judge = {
  id: 'redocly',
  tool: redoclyTool,
  async judge({ folder, openPortal }) {
    const program = await installRedocly()
    const { send } = await openPortal()
    const { body } = await send('/api/openapi.json')
    const file = join(folder, 'openapi.json')
    await writeFile(file, body)
    const { stdout, stderr } = await runProgram(
      process.execPath,
      [program, 'lint', file, '--format=json', '--max-problems', '10000'],
      { env: redoclyEnvironment, cwd: folder },
    )
    if (!stdout.trimStart().startsWith('{')) throw new Error(`no report: ${stderr}`)
    const { problems } = JSON.parse(stdout) as Report
    const document = JSON.parse(body.toString()) as { paths: Record<string, object> }
    return {
      result: `${Object.keys(document.paths).length} paths, ${problems.length} findings`,
      findings: problems.map(({ ruleId, severity, message, location }) => {
        const pointer = location[0]?.pointer ?? ''
        return { key: `${ruleId} ${pointer}`, text: `${severity} ${ruleId}: ${message} ${pointer}` }
      }),
    }
  },
}
