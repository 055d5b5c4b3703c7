import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'

/** Links to the wizard. Disabled while there is no price list to order from (M63). */
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
