import { findMessage } from '#ui/i18n/messages.ts'

/** A long request as its user calls it, by the endpoint that began it. Needs the texts of `activity`. */
export const getJobName = (endpoint: string): string =>
  findMessage('activity', `name.${endpoint}`) ?? findMessage('activity', 'name.other') ?? ''
