import { type ReactNode, Suspense, useEffect } from 'react'
import { Navigate, useLocation } from 'react-router-dom'
import { type Caller, isAllowed, type AccessRule } from '#domain/access.ts'
import { useSession } from '#state/use-store.ts'
import type { SessionState } from '#state/session-slice.ts'
import { Redirect } from '#ui/page/Redirect.tsx'
import { useTranslation } from 'react-i18next'
import { routes } from '#app/routes/paths.ts'
import { Loading } from '#app/shell/Loading.tsx'

/** What becomes of somebody who asks for a place: drawn, held until it is known who they are, or led elsewhere (M10, M11). */
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
    // Another user, signed in by another tab, is shown nothing that was open or typed for the one before.
    const userKey = session.kind === 'signed in' ? session.caller.userId : 'nobody'
    return (
      <Suspense key={userKey} fallback={<Loading />}>
        {children}
      </Suspense>
    )
  }
  if (admission.to === 'home') return <RedirectHome />
  const resultPath = paymentResultPath(search, hash)
  if (resultPath) return <LeaveTo to={resultPath} />
  // Whoever left by themselves starts anew; whoever was on the way to somewhere is brought there after the login.
  const hasLeft = session.kind === 'signed out' && session.reason === 'left'
  const query = hasLeft || pathname === routes.home.path ? '' : `?to=${encodeURIComponent(pathname + search)}`
  return <Navigate to={routes.login.path + query} replace />
}

/** Where a browser reads what came of a payment that was made for somebody who is not signed in here. Null: it comes from no gateway. */
export function paymentResultPath(search: string, hash: string): string | null {
  const key = /^#return=([\w-]{8,64})$/.exec(hash)?.[1]
  return key && new URLSearchParams(search).has('payment') ? `/public/payment/return/${key}?page=result` : null
}

/** To a page of the server's own. */
function LeaveTo({ to }: { to: string }) {
  useEffect(() => location.replace(to), [to])
  return <Loading />
}

/** The redirect is the specification's (portal 2); that it happened is said. */
function RedirectHome() {
  const { t } = useTranslation('shell')
  return <Redirect to={routes.home.path} reason={t('notYours')} />
}
