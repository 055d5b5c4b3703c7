import { useEffect } from 'react'
import { Navigate } from 'react-router-dom'
import { showToast } from '#ui/overlay/toasts.tsx'

/** Redirects and shows the reason, so that users know why the page changed. */
export function Redirect({ to, reason }: { to: string; reason: string }) {
  useEffect(() => showToast({ kind: 'note', text: reason, page: to.replace(/[?#].*/, '') }), [to, reason])
  return <Navigate to={to} replace />
}
