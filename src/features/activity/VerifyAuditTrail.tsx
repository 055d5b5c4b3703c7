import { isProviderAdmin } from '#domain/access.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'

interface VerifyAuditTrailProps {
  kind?: 'primary' | 'quiet'
  isBusy: boolean
  onVerify: () => void
}

/**
 * Button that starts the verification of the audit trail. Shown only to the provider's admins (Z-28), because the server refuses all
 * others.
 */
export function VerifyAuditTrail({ kind = 'quiet', isBusy, onVerify }: VerifyAuditTrailProps) {
  const { t } = useTranslation('activity')
  const { caller } = useSignedInSession()
  if (!isProviderAdmin(caller)) return null
  return (
    <Button kind={kind} icon="trail" isBusy={isBusy} onClick={onVerify}>
      {t('verify.act')}
    </Button>
  )
}
