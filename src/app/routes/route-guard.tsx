import { type ReactNode, Suspense, useEffect } from 'react'
import { Navigate, useLocation } from 'react-router-dom'
import { type Caller, isAllowed, type AccessRule } from '#domain/access.ts'
import { useSession } from '#state/use-store.ts'
import type { SessionState } from '#state/session-slice.ts'
import { Redirect } from '#ui/page/Redirect.tsx'
import { useTranslation } from 'react-i18next'
import { routes } from '#app/routes/paths.ts'
import { Loading } from '#app/shell/Loading.tsx'

/** Decides about a navigation (M10, M11): render the page (`drawn`), wait until the session is loaded (`held`), or redirect (`led`). */
export function getAdmission(
  session: SessionState,
  access: AccessRule,
): { kind: 'drawn' } | { kind: 'held' } | { kind: 'led'; to: 'login' | 'home' } {
  if (access === 'anybody') return { kind: 'drawn' }
  if (session.kind === 'unknown') return { kind: 'held' }
  const caller: Caller | null = session.kind === 'signed in' ? session.caller : null
  if (!caller) return { kind: 'led', to: 'login' }
  return isAllowed(access, caller) ? { kind: 'drawn' } : { kind: 'led', to: 'home' }
}

export function RouteGuard({ access, children }: { access: AccessRule; children: ReactNode }) {
  const session = useSession()
  const { pathname, search, hash } = useLocation()
  const admission = getAdmission(session, access)
  if (admission.kind === 'held') return <Loading />
  if (admission.kind === 'drawn') {
    // If another user has signed in from another tab, the previous user's dialogs and input are discarded.
    const userKey = session.kind === 'signed in' ? `${session.caller.companyId} ${session.caller.userId}` : 'nobody'
    // The acting user's own account is not the customer's (decision 111).
    if (session.kind === 'signed in' && session.user.acting_until && ownAccountPath.test(pathname))
      return <RedirectHome />
    return (
      <Suspense key={userKey} fallback={<Loading />}>
        {children}
      </Suspense>
    )
  }
  if (admission.to === 'home') return <RedirectHome />
  const resultPath = paymentResultPath(search, hash)
  if (resultPath) return <LeaveTo to={resultPath} />
  // If the user logged out, the next login starts at the home page. If the session ended otherwise, it continues at the current address.
  const hasLeft = session.kind === 'signed out' && session.reason === 'left'
  const query = hasLeft || pathname === routes.home.path ? '' : `?to=${encodeURIComponent(pathname + search)}`
  return <Navigate to={routes.login.path + query} replace />
}

const ownAccountPath = /^\/app\/profile\/(?!company)/

/** Address of the payment result page for a user who is not signed in. Null if the browser does not come from a payment gateway. */
export function paymentResultPath(search: string, hash: string): string | null {
  const key = /^#return=([\w-]{8,64})$/.exec(hash)?.[1]
  return key && new URLSearchParams(search).has('payment') ? `/public/payment/return/${key}?page=result` : null
}

function LeaveTo({ to }: { to: string }) {
  useEffect(() => location.replace(to), [to])
  return <Loading />
}

/** Redirects to the home page, as the specification requires (portal 2), and shows a message that explains it. */
function RedirectHome() {
  const { t } = useTranslation('shell')
  return <Redirect to={routes.home.path} reason={t('notYours')} />
}
