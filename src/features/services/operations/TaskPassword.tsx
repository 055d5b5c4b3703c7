import { useState } from 'react'
import { readRow } from '#local/lists/read-row.ts'
import type { ServiceRow } from '#contract/services.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { type ServiceJob, getServiceId } from '#features/services/operations/jobs.ts'
import { PasswordDialog } from '#features/services/operations/PasswordDialog.tsx'
import { ServiceStyles } from '#features/services/ServiceStyles.tsx'

/** Shows a button for the new password in the list of tasks, until the password has been displayed (D43). */
export function TaskPassword({ activity }: { activity: Pick<ServiceJob, 'intent' | 'endpoint' | 'input' | 'answer'> }) {
  const { t } = useTranslation('services')
  const [isOpen, setIsOpen] = useState(false)
  const id = getServiceId(activity)
  const cachedRow = useLiveQuery(async () => (id === null ? null : await readRow<ServiceRow>('services', id)), [id])
  // A logout removes the input from the job row, so the service is then unknown.
  if (id === null) return null
  const code = cachedRow?.row.code ?? `#${id}`
  return (
    <div className="request-about">
      <ServiceStyles />
      <p>{t('password.offerTitle', { code })}</p>
      <Button icon="seen" onClick={() => setIsOpen(true)}>
        {t('password.show')}
      </Button>
      {isOpen && <PasswordDialog service={{ id, code }} intent={activity.intent} onClose={() => setIsOpen(false)} />}
    </div>
  )
}
