/** Tests the configuration of a service whose host has no memory left. */
import { screen } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import { setUpServicePages } from '#tests/features/services/service-pages.ts'
import { getNamedField, readProblems, typeValues } from '#tests/support/pages/fields.ts'
import { createUserActions } from '#tests/support/pages/shop-pages.ts'

// The timeout is long, because the test starts real processes while other tests run.
vi.setConfig({ testTimeout: 90_000 })

const { fixture, runServerWork, createService } = setUpServicePages({}, { memoryMb: 3000 })
const { choose, dialog, noDialog, findText } = createUserActions(fixture)

const readFieldValue = (name: string) => (getNamedField(name) as HTMLInputElement | HTMLSelectElement).value

it('The configuration form keeps its input and shows at the field that memory is missing (fault 15o)', async () => {
  const { id } = await createService('shop1')
  await fixture.browser.openAs('delete@m18', `/app/service/${id}`)
  await choose('More for the service shop1', 'Change configuration')
  const form = await dialog('Configuration of shop1')
  await form.findByLabelText('Memory of an instance (MB)')
  await typeValues(fixture.user, { memory: '8000' })
  await fixture.user.selectOptions(getNamedField('tasks'), '4')
  await fixture.user.keyboard('{Escape}')
  await findText('Your changes are not saved yet.')
  await form.press('Keep editing')
  await form.press('Change configuration')
  await findText('The configuration is being changed.')
  await runServerWork()
  await expect
    .poll(() => readProblems()['memory'])
    .toMatch(
      /Instances: 4, each with 8000 MB, plus 100 MB each for the program itself: 32400 MB in all. Free: 3000 MB./,
    )
  expect([readFieldValue('memory'), readFieldValue('tasks')]).toEqual(['8000', '4'])
  expect(document.activeElement).toBe(getNamedField('memory'))
  await fixture.user.selectOptions(getNamedField('tasks'), '3')
  expect(readProblems()).toEqual({})
  await fixture.user.selectOptions(getNamedField('tasks'), '4')

  // If the dialog was closed before the response, a toast shows the refusal.
  await typeValues(fixture.user, { memory: '7000' })
  expect(readProblems()).toEqual({})
  await form.press('Change configuration')
  await findText('The configuration is being changed.')
  await fixture.user.keyboard('{Escape}')
  await noDialog()
  await runServerWork()
  await screen.findByText(/Instances: 4, each with 7000 MB/)
})
