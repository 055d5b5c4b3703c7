/** Hands the outbox page what only the corridor can do with its entries; comes with the page and not before. */
import { ports } from '#app/send.ts'
import { Outbox } from '#features/outbox/pages/Outbox.tsx'
import { outboxDesk } from '#request/desk.ts'

const desk = outboxDesk(ports)

export const OwnOutbox = () => <Outbox desk={desk} />
