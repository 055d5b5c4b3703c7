import { useEffect } from 'react'
import { Navigate } from 'react-router-dom'
import { showToast } from '#ui/overlay/toasts.tsx'

/** Leads elsewhere and says why: nobody is to wonder how they came there. */
export function Redirect({ to, reason }: { to: string; reason: string }) {
  useEffect(() => showToast({ kind: 'note', text: reason }), [reason])
  return <Navigate to={to} replace />
}
