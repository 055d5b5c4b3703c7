import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'

/** Leads to the wizard, once there is a price list to order by (M63). */
export function CreateOrderButton({ disabledReason }: { disabledReason: string | null }) {
  const { t } = useTranslation('orders')
  if (disabledReason !== null)
    return (
      <Button kind="primary" icon="plus" disabledReason={disabledReason}>
        {t('create')}
      </Button>
    )
  return (
    <ButtonLink kind="primary" icon="plus" to="/app/contract/new">
      {t('create')}
    </ButtonLink>
  )
}
