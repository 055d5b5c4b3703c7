import { type ReactNode, Suspense, useEffect } from 'react'
import { Navigate, useLocation } from 'react-router-dom'
import { type Caller, may, type Who } from '#domain/access.ts'
import { useSession } from '#state/hooks.ts'
import type { Session } from '#state/session-slice.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { places } from '#app/routes/paths.ts'
import { Loading } from '#app/Loading.tsx'

/** What becomes of somebody who asks for a place: drawn, held until it is known who they are, or led elsewhere (M10, M11). */
export function admission(
  session: Session,
  who: Who,
): { is: 'drawn' } | { is: 'held' } | { is: 'led'; to: 'login' | 'home' } {
  if (who === 'anybody') return { is: 'drawn' }
  if (session.is === 'unknown') return { is: 'held' }
  const caller: Caller | null = session.is === 'signed in' ? session.caller : null
  if (!caller) return { is: 'led', to: 'login' }
  return may(who, caller) ? { is: 'drawn' } : { is: 'led', to: 'home' }
}

export function Guard({ who, children }: { who: Who; children: ReactNode }) {
  const session = useSession()
  const { pathname, search } = useLocation()
  const admitted = admission(session, who)
  if (admitted.is === 'held') return <Loading />
  if (admitted.is === 'drawn') {
    // Another user, signed in by another tab, is shown nothing that was open or typed for the one before.
    const whose = session.is === 'signed in' ? session.caller.userId : 'nobody'
    return (
      <Suspense key={whose} fallback={<Loading />}>
        {children}
      </Suspense>
    )
  }
  if (admitted.to === 'home') return <LedHome />
  // Whoever left by themselves starts anew; whoever was on the way to somewhere is brought there after the login.
  const left = session.is === 'signed out' && session.because === 'left'
  const wanted = left || pathname === places.home.path ? '' : `?to=${encodeURIComponent(pathname + search)}`
  return <Navigate to={places.login.path + wanted} replace />
}

/** The redirect is the specification's (portal 2); that it happened is said. */
function LedHome() {
  const { t } = useTranslation('shell')
  useEffect(() => showToast({ kind: 'note', text: t('notYours') }), [t])
  return <Navigate to={places.home.path} replace />
}
