import { useState } from 'react'
import { readRow } from '#local/lists/read-row.ts'
import type { ServiceRow } from '#contract/services.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { type ServiceJob, serviceIdOf } from '#features/services/operations/jobs.ts'
import { PasswordDialog } from '#features/services/operations/PasswordDialog.tsx'
import { Sheet } from '#features/services/ServiceStyles.tsx'

/** In the list of tasks: the password that one has made, for whoever has not looked at it yet (D43). */
export function TaskPassword({ request }: { request: Pick<ServiceJob, 'intent' | 'endpoint' | 'input' | 'answer'> }) {
  const { t } = useTranslation('services')
  const [open, setOpen] = useState(false)
  const id = serviceIdOf(request)
  const kept = useLiveQuery(async () => (id === null ? null : await readRow<ServiceRow>('services', id)), [id])
  // A sign-out takes what was asked from the row: then nothing says whose password it is.
  if (id === null) return null
  const code = kept?.row.code ?? `#${id}`
  return (
    <div className="request-about">
      <Sheet />
      <p>{t('password.offerTitle', { code })}</p>
      <Button icon="seen" onClick={() => setOpen(true)}>
        {t('password.show')}
      </Button>
      {open && <PasswordDialog service={{ id, code }} intent={request.intent} onClose={() => setOpen(false)} />}
    </div>
  )
}
