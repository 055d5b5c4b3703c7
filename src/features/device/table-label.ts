import { findMessage } from '#ui/i18n/messages.ts'

/** Returns the label of a table or, without a label, the name of its page in the menu. */
export function getTableLabel(table: string): string {
  const menuName = table.replace(/_\w/g, (match) => match.slice(1).toUpperCase())
  return findMessage('device', `table.${table}`) ?? findMessage('shell', `menu.${menuName}`) ?? table
}
