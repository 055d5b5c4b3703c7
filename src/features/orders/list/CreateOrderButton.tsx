import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'

interface CreateOrderButtonProps {
  disabledReason: string | null
  /** The customer for whom the staff order. Null for the user's own company. */
  companyId?: number | null
}

/** Links to the wizard, with the company. Disabled while there is no price list to order from (M63). */
export function CreateOrderButton({ disabledReason, companyId = null }: CreateOrderButtonProps) {
  const { t } = useTranslation('orders')
  if (disabledReason !== null)
    return (
      <Button kind="primary" icon="plus" disabledReason={disabledReason}>
        {t('create')}
      </Button>
    )
  return (
    <ButtonLink kind="primary" icon="plus" to={`/app/contract/new${companyId === null ? '' : `?company=${companyId}`}`}>
      {t('create')}
    </ButtonLink>
  )
}
