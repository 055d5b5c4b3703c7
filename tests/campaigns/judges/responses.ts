/**
 * Redocly's `respect` sends every call of the contract to the portal, as an admin, as staff and as a visitor, and compares each response with
 * the OpenAPI document: its status, its type and its schema. It changes the portal's rows, so it is the last judge.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { clientCredential, getSettings } from '#contract/accounts.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { headers as headerNames } from '#contract/headers.ts'
import { endpoints } from '#contract/index.ts'
import type { Finding, Judge } from '#tests/campaigns/judges/judge.ts'
import type { JudgePortal } from '#tests/campaigns/judges/portal.ts'
import { installRedocly, redoclyEnvironment, redoclyTool } from '#tests/campaigns/judges/redocly.ts'
import { KnownValues } from '#tests/campaigns/judges/responses/known-values.ts'
import {
  buildParameters,
  buildWorkflows,
  type Caller,
  documentNames,
  toOperationId,
  type Workflow,
} from '#tests/campaigns/judges/responses/workflows.ts'
import { runProgram } from '#tests/campaigns/judges/tools.ts'
import { people } from '#tests/support/browser/browser.ts'
import { packApp } from '#tests/support/uploads/packages.ts'
import { png } from '#tests/support/uploads/pictures.ts'
import { zipFiles } from '#tests/support/uploads/zip.ts'

/** Reading calls are sent this often before the run, because some need ids that others return. */
const readRounds = 3
const timeoutMs = 900_000
/** The call whose response has a wrong schema in the second document. */
const wrongEndpoint = getSettings

interface StepReport {
  stepId: string
  response?: { statusCode: number }
  checks: { name: string; passed: boolean; message: string }[]
}
interface Run {
  workflowId: string
  executedSteps: StepReport[]
}
interface Report {
  files: Record<string, { executedWorkflows: Run[] }>
}
type Document = Record<'servers' | 'paths', unknown> & {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>
}

const isHarmlessRead = ({ method, secret, responseType }: Endpoint) => method === 'GET' && !secret && !responseType

/** Returns what the portal responds to the reading calls of this person. */
async function readKnownValues(portal: JudgePortal, name: 'admin' | 'staff'): Promise<KnownValues> {
  const { company, username, password } = people[name]
  const knownValues = new KnownValues({ username: `${company}:${username}`, password })
  const send = await portal.sendAs(name)
  for (let round = 0; round < readRounds; round++)
    for (const endpoint of endpoints.filter(isHarmlessRead)) {
      const options = { knownValues, variant: round, hasOptionalFields: false, isDeletion: false }
      let path: string = endpoint.path
      const query = new URLSearchParams()
      for (const parameter of buildParameters(endpoint, options))
        if (parameter.in === 'query') query.set(parameter.name, String(parameter.value))
        else path = path.replace(`:${parameter.name}`, encodeURIComponent(String(parameter.value)))
      const { status, headers, body } = await send(`${path}?${query}`)
      if (status === 200) knownValues.add(endpoint, JSON.parse(body.toString()))
      knownValues.userId ??= Number(String(headers[headerNames.subject]).split(':')[1])
    }
  return knownValues
}

/** Writes a picture, an app and a price list. Each call that takes a file is sent all of them. */
async function writeUploads(folder: string): Promise<string[]> {
  const files = {
    'picture.png': await png(),
    'app.mapp': await packApp(),
    'list.zip': await zipFiles([{ name: 'list.json', bytes: '{}' }]),
  }
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes)
  return Object.keys(files).map((name) => join(folder, name))
}

async function listWorkflows(portal: JudgePortal, folder: string): Promise<Workflow[]> {
  const files = await writeUploads(folder)
  const [admin, staff] = [await readKnownValues(portal, 'admin'), await readKnownValues(portal, 'staff')]
  const basic = `Basic ${btoa(clientCredential)}`
  const callers: [Caller, readonly Endpoint[]][] = [
    [{ name: 'admin', knownValues: admin, authorize: () => portal.authorize('admin') }, endpoints],
    [{ name: 'staff', knownValues: staff, authorize: () => portal.authorize('staff') }, endpoints],
    [
      { name: 'visitor', knownValues: admin, authorize: () => Promise.resolve(basic) },
      endpoints.filter(({ access }) => access === 'anybody'),
    ],
  ]
  const workflows: Workflow[] = []
  for (const [caller, calls] of callers) workflows.push(...(await buildWorkflows(calls, caller, files)))
  const sample = workflows.find(({ workflowId }) => workflowId === `admin-${wrongEndpoint.name}-0`)
  if (!sample) throw new Error(`there is no workflow of ${wrongEndpoint.name}`)
  const wrongSteps = sample.steps.map((step) => ({
    ...step,
    operationId: toOperationId(wrongEndpoint, documentNames.wrong),
  }))
  return [{ workflowId: documentNames.wrong, steps: wrongSteps }, ...workflows]
}

/** Writes the document of the portal, the wrong one, and the description of all requests. Returns the path of the description. */
async function writeDescription(portal: JudgePortal, folder: string): Promise<string> {
  const { body } = await portal.send('/api/openapi.json')
  const readDocument = () => ({ ...(JSON.parse(body.toString()) as Document), servers: [{ url: portal.url }] })
  const wrong = readDocument()
  const content = { 'application/json': { schema: { type: 'string' } } }
  for (const operation of Object.values(wrong.paths).flatMap((path) => Object.values(path)))
    if (operation.operationId === wrongEndpoint.name) operation.responses = { 200: { description: 'Wrong', content } }
  await writeFile(join(folder, `${documentNames.portal}.json`), JSON.stringify(readDocument()))
  await writeFile(join(folder, `${documentNames.wrong}.json`), JSON.stringify(wrong))
  const file = join(folder, 'calls.arazzo.json')
  const description = {
    arazzo: '1.0.1',
    info: { title: 'Every call of the portal', version: '1.0.0' },
    sourceDescriptions: Object.values(documentNames).map((name) => ({ name, type: 'openapi', url: `${name}.json` })),
    workflows: await listWorkflows(portal, folder),
  }
  await writeFile(file, JSON.stringify(description))
  return file
}

/** The name of a call, and the status of its response. */
const describeStep = (workflowId: string, { stepId, response }: StepReport) =>
  `${stepId === 'call' ? workflowId.split('-')[1] : stepId} ${response?.statusCode ?? 'no response'}`

/** Returns one finding for all requests of a call with the same status and the same failed check. */
function listFindings(runs: readonly Run[]): Finding[] {
  const failures = new Map<string, string[]>()
  for (const { workflowId, executedSteps } of runs)
    for (const step of executedSteps)
      for (const { name, message } of step.checks.filter(({ passed }) => !passed)) {
        const key = `${describeStep(workflowId, step)} ${name}`
        const text = stripVTControlCharacters(message).trim().replace(/\s+/g, ' ').slice(0, 500)
        failures.set(key, [...(failures.get(key) ?? []), `${workflowId}: ${text}`])
      }
  return [...failures].map(([key, texts]) => ({ key, text: `${texts.length} times. ${texts[0]}` }))
}

const isSuccess = ({ response }: StepReport) => response !== undefined && Math.floor(response.statusCode / 100) === 2

/** Throws unless the wrong schema was found, in a response that is a success. */
function checkWrongRun(run: Run | undefined): void {
  const [step] = run?.executedSteps ?? []
  if (!step || !isSuccess(step) || !step.checks.some(({ name, passed }) => name === 'schema check' && !passed))
    throw new Error('a wrong schema was not found')
}

export const responses: Judge = {
  id: 'respect',
  tool: `${redoclyTool} respect`,
  async judge({ folder, openPortal }) {
    const program = await installRedocly()
    const portal = await openPortal()
    const description = await writeDescription(portal, folder)
    const reportFile = join(folder, 'respect.json')
    const { stdout, stderr } = await runProgram(
      process.execPath,
      [program, 'respect', description, '--json-output', reportFile, '--max-steps', '100000'],
      { timeoutMs, cwd: folder, env: { ...redoclyEnvironment, NODE_EXTRA_CA_CERTS: portal.certificateFile } },
    )

    const text = await readFile(reportFile, 'utf8').catch(() => '')
    if (text === '') throw new Error(`no report: ${stdout.slice(-1000)} ${stderr.slice(-1000)}`)
    const executed = Object.values((JSON.parse(text) as Report).files).flatMap((file) => file.executedWorkflows)
    checkWrongRun(executed.find(({ workflowId }) => workflowId === documentNames.wrong))
    const runs = executed.filter(({ workflowId }) => workflowId !== documentNames.wrong)
    const findings = listFindings(runs)
    const steps = runs.flatMap((run) => run.executedSteps)
    const calls = new Set(runs.map(({ workflowId }) => workflowId.split('-')[1]))
    const successfulCalls = new Set(
      runs
        .filter(({ executedSteps: [step] }) => step && isSuccess(step))
        .map(({ workflowId }) => workflowId.split('-')[1]),
    )
    return {
      result: `${calls.size} calls, ${steps.length} requests, ${successfulCalls.size} calls with a success, ${findings.length} findings`,
      findings,
    }
  },
}
