import type { OrderRow } from '#contract/orders.ts'
import { WebAddress } from '#ui/display/WebAddress.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'

type ServiceAddresses = Pick<OrderRow, 'code' | 'url' | 'admin_url'>

/** Shows the addresses of a service that is set up (M62, M104). */
export function ServiceInfoDialog({ order, onClose }: { order: ServiceAddresses; onClose: () => void }) {
  const { t } = useTranslation('orders')
  const { code, url, admin_url: adminUrl } = order
  return (
    <Dialog open title={t('info.title', { code })} onClose={onClose}>
      <dl className="order-addresses">
        <dt>{t('info.url')}</dt>
        <dd>
          <WebAddress to={url} emptyText={t('info.none')} />
        </dd>
        <dt>{t('info.admin')}</dt>
        <dd>
          <WebAddress to={adminUrl} emptyText={t('info.none')} />
        </dd>
      </dl>
    </Dialog>
  )
}
