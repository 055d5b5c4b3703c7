/** Tests the drawer of a disabled user. */
import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { userStatus } from '#domain/accounts/users.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'

const fixture = setUpPages()

it('The drawer of a disabled user says so and enables the user', async () => {
  const id = fixture.server.world.users['user@alpha'] ?? 0
  await writeAsSystem(fixture.server.app, (db) =>
    db.updateTable('portal_user').set({ status: userStatus.disabled }).where('id', '=', id).execute(),
  )
  await fixture.browser.openAs('admin@alpha', `/app/user?user=${id}`)
  const drawer = within(await screen.findByRole('dialog'))
  await drawer.findByText('This user is disabled and cannot log in.')
  drawer.getByText('Disabled')
  await fixture.user.click(drawer.getByRole('button', { name: 'Enable' }))
  await drawer.findByText('This user is enabled again and can log in.')
  drawer.getByText('Activated')
  // The button that had the focus is gone.
  await expect.poll(() => document.activeElement?.getAttribute('aria-label')).toBe('Status')
})
