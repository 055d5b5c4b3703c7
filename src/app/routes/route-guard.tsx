import { type ReactNode, Suspense, useEffect } from 'react'
import { Navigate, useLocation } from 'react-router-dom'
import { type Caller, may, type Who } from '#domain/access.ts'
import { useSession } from '#state/hooks.ts'
import type { Session } from '#state/session-slice.ts'
import { Redirect } from '#ui/page/Redirect.tsx'
import { useTranslation } from 'react-i18next'
import { places } from '#app/routes/paths.ts'
import { Loading } from '#app/shell/Loading.tsx'

/** What becomes of somebody who asks for a place: drawn, held until it is known who they are, or led elsewhere (M10, M11). */
export function admission(
  session: Session,
  who: Who,
): { kind: 'drawn' } | { kind: 'held' } | { kind: 'led'; to: 'login' | 'home' } {
  if (who === 'anybody') return { kind: 'drawn' }
  if (session.kind === 'unknown') return { kind: 'held' }
  const caller: Caller | null = session.kind === 'signed in' ? session.caller : null
  if (!caller) return { kind: 'led', to: 'login' }
  return may(who, caller) ? { kind: 'drawn' } : { kind: 'led', to: 'home' }
}

export function Guard({ who, children }: { who: Who; children: ReactNode }) {
  const session = useSession()
  const { pathname, search, hash } = useLocation()
  const admitted = admission(session, who)
  if (admitted.kind === 'held') return <Loading />
  if (admitted.kind === 'drawn') {
    // Another user, signed in by another tab, is shown nothing that was open or typed for the one before.
    const whose = session.kind === 'signed in' ? session.caller.userId : 'nobody'
    return (
      <Suspense key={whose} fallback={<Loading />}>
        {children}
      </Suspense>
    )
  }
  if (admitted.to === 'home') return <LedHome />
  const result = paymentResultPath(search, hash)
  if (result) return <Leave to={result} />
  // Whoever left by themselves starts anew; whoever was on the way to somewhere is brought there after the login.
  const left = session.kind === 'signed out' && session.because === 'left'
  const wanted = left || pathname === places.home.path ? '' : `?to=${encodeURIComponent(pathname + search)}`
  return <Navigate to={places.login.path + wanted} replace />
}

/** Where a browser reads what came of a payment that was made for somebody who is not signed in here. Null: it comes from no gateway. */
export function paymentResultPath(search: string, hash: string): string | null {
  const key = /^#return=([\w-]{8,64})$/.exec(hash)?.[1]
  return key && new URLSearchParams(search).has('payment') ? `/public/payment/return/${key}?page=result` : null
}

/** To a page of the server's own. */
function Leave({ to }: { to: string }) {
  useEffect(() => location.replace(to), [to])
  return <Loading />
}

/** The redirect is the specification's (portal 2); that it happened is said. */
function LedHome() {
  const { t } = useTranslation('shell')
  return <Redirect to={places.home.path} why={t('notYours')} />
}
