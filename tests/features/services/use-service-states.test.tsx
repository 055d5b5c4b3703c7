/** Tests what the page of a service shows of an operation's steps, of faults and of memory, without a server. */
import { cleanup, render, screen } from '@testing-library/react'
import type { ComponentProps } from 'react'
import { afterEach, describe, expect, it } from 'vitest'
import { serviceFaults, type ServiceRow } from '#contract/services.ts'
import '#features/services/translations.ts'
import { formatAdvice, formatFault, formatGivenUpAdvice } from '#features/services/fault-texts.ts'
import { formatFailure } from '#features/services/format-failure.ts'
import { ServicePanel } from '#features/services/info/ServicePanel.tsx'
import { buildServiceColumns } from '#features/services/list/columns.tsx'
import { listNotes } from '#features/services/ServiceStatusTag.tsx'
import { i18n } from '#ui/i18n/messages.ts'
import { buildRefusal, createCallRecorder } from '#tests/features/call-recorder.tsx'

const row = {
  id: 3,
  code: 'shop1',
  name: 'Shop',
  company_name: 'Acme',
  system_status: 2,
  online: 1,
  task_runtime_memory: 1500,
  task_desire_count: 1,
  running_memory: 1500,
  running_tasks: 1,
  needs_reboot: false,
  fault: null,
  deployment_fault: null,
  operation: null,
} as ServiceRow
const operation: NonNullable<ServiceRow['operation']> = {
  kind: 'update-service',
  user_name: 'Li',
  since: '2026-03-02 10:00:00',
  progress_key: 'k',
  step: { name: 'health', healthy: 2, wanted: 3 },
}
const actions = { isOffered: () => false, getDisabledReason: () => null } as unknown as ComponentProps<
  typeof ServicePanel
>['actions']

function readPanel(fields: Partial<ServiceRow>): string {
  const { wrapper } = createCallRecorder()
  const props = { jobs: [], actions, logPath: '/log', EventsPart: () => null }
  const { container } = render(<ServicePanel row={{ ...row, ...fields }} {...props} />, { wrapper })
  return container.textContent
}
const t = i18n.getFixedT(null, 'services')
function readCell(key: string, fields: Partial<ServiceRow>): string {
  const column = buildServiceColumns(t, true).find((candidate) => candidate.key === key)
  if (!column || !('render' in column) || !column.render) throw new Error(`the column ${key} is not rendered`)
  const overlaidRow = { row: { ...row, ...fields } } as Parameters<typeof column.render>[0]
  return render(column.render(overlaidRow)).container.textContent
}

afterEach(async () => {
  cleanup()
  await i18n.changeLanguage('en')
})

describe('a running operation', () => {
  it('shows its step to everybody, with the number of healthy instances', async () => {
    expect(readPanel({ operation })).toContain('Waiting for health: 2 of 3 instances')
    expect(listNotes({ ...row, operation }, t)).toEqual(['Waiting for health: 2 of 3 instances'])
    const ofOne = { ...operation, step: { name: 'health', healthy: 0, wanted: 1 } } as const
    expect(readPanel({ operation: ofOne })).toContain('Waiting for health: 0 of 1 instance')
    await i18n.changeLanguage('zh')
    expect(readPanel({ operation })).toContain('正在等待运行状况检查通过：2 / 3 个实例')
  })

  it('is a live region that announces only what changed, not the whole operation with each healthy instance', () => {
    readPanel({ operation })
    const region = screen.getByText('Waiting for health: 2 of 3 instances').closest('[role="status"]')
    expect(region?.getAttribute('aria-atomic')).toBe('false')
    expect(region?.querySelectorAll('[role="status"], [aria-live]')).toHaveLength(0)
  })

  it('shows no step that this build does not know, and none of a row that an earlier build has stored', () => {
    const { step: _step, ...withoutStep } = operation
    const withUnknownStep = { ...operation, step: { name: 'polish', healthy: null, wanted: null } }
    for (const value of [withoutStep, withUnknownStep, { ...operation, step: null }]) {
      const { deployment_fault: _fault, ...fields } = { ...row, operation: value as ServiceRow['operation'] }
      expect(listNotes(fields as ServiceRow, t)).toEqual([])
      expect(readPanel(fields)).toContain('The system is being updated.')
    }
  })
})

describe('a fault', () => {
  it('has a name and an advice in both languages, and staff read what they can do themselves', async () => {
    for (const language of ['en', 'zh']) {
      await i18n.changeLanguage(language)
      const names = serviceFaults.map(formatFault)
      expect(new Set(names).size).toBe(serviceFaults.length)
      for (const fault of serviceFaults)
        for (const text of [formatAdvice(fault, false), formatAdvice(fault, true), formatGivenUpAdvice(fault, true)])
          expect(text).toMatch(/[.。]$/)
    }
    await i18n.changeLanguage('en')
    expect(formatAdvice('no_image', true)).toContain('SERVICE_IMAGE')
    expect(formatAdvice('no_image', false)).toContain('Ask your provider')
    expect(formatGivenUpAdvice('no_image', true)).toContain('SERVICE_IMAGE')
    expect(formatGivenUpAdvice('no_image', false)).not.toContain('SERVICE_IMAGE')
    for (const fault of serviceFaults)
      for (const text of [formatAdvice(fault, true), formatGivenUpAdvice(fault, true)])
        expect(text).not.toMatch(/your provider/)
    // A newer server may know more faults.
    expect(formatFault('on_fire' as 'failed')).toBe('The last operation failed')
    expect(formatAdvice('on_fire' as 'failed', true)).toContain('Try the operation again.')
  })

  it('of a change that was undone says that the previous version keeps running, and why', () => {
    const text = readPanel({ deployment_fault: 'keeps_ending' })
    expect(text).toContain('The last change did not take effect: Keeps stopping')
    expect(text).toContain('The version that ran before keeps running')
    expect(text).toContain('The new instances stopped again and again.')
    expect(readPanel({ deployment_fault: 'no_image', fault: 'no_answer', online: 0 })).not.toContain('keeps running')
    expect(readCell('system_status', { deployment_fault: 'no_image' })).toContain(
      'Change not in effect: Program not available',
    )
  })

  it('is the reason in the message about a failed operation', () => {
    const fail = (code: string, data: unknown) => {
      const result = buildRefusal(code, data)
      return result.kind === 'problem'
        ? formatFailure('shop1', 'The service could not be updated.', result.problem)
        : ''
    }
    expect(fail('STATE_CONFLICT', { why: 'no_image' })).toBe(
      'shop1: The service could not be updated. Program not available.',
    )
    expect(fail('STATE_CONFLICT', { why: 'begun' })).not.toContain('begun')
  })
})

describe('the memory of a service', () => {
  const setFields = { running_memory: 2048 }
  it('shows requested and set memory if the platform has set another size', async () => {
    const text = 'Requested 1,500 MB, set 2,048 MB'
    expect(readPanel(setFields)).toContain(text)
    expect(readCell('capacity', setFields)).toContain(text)
    await i18n.changeLanguage('zh')
    expect(readPanel(setFields)).toContain('请求 1,500 MB，实际 2,048 MB')
  })

  it('shows no difference that a reboot or an operation ends, or that nobody requested', () => {
    for (const fields of [
      { needs_reboot: true },
      { operation },
      { task_runtime_memory: 0 as const },
      { running_memory: null },
      { running_memory: 1500 },
    ])
      expect(readPanel({ ...setFields, ...fields })).not.toContain('Requested')
  })
})
