import type { AppStore } from '#state/store.ts'

/**
 * A page from the browser's back-forward cache stays hidden until the session is checked: the user may have signed out in another tab, and
 * another person may use the device now. If the user or the company has changed, the page is reloaded: the user may have stopped acting for a
 * customer.
 */
export function hideWhileAway(store: AppStore, reload: () => void = () => location.reload()): void {
  const { style } = document.documentElement
  addEventListener('pagehide', ({ persisted }) => {
    if (persisted) style.visibility = 'hidden'
  })
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    void isSameUser(store)
      .catch(() => false)
      .then((isSame) => {
        if (isSame) style.visibility = ''
        else reload()
      })
  })
}

async function isSameUser(store: AppStore): Promise<boolean> {
  const pageSession = store.getState().session
  if (pageSession.kind !== 'signed in') return true
  const { readActiveSession } = await import('#local/session/session.ts')
  const session = await readActiveSession()
  return session?.userId === pageSession.user.id && session.companyId === pageSession.user.company_id
}
