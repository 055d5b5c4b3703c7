/** Limits mails to addresses that a company chooses. Otherwise anybody could register and send spam. */
const dayMs = 86_400_000

/** Maximum mails per hour for each of two kinds: invitations, and password resets for accounts that are not activated. */
export const mailsPerHour = { newCompany: 20, knownCompany: 200 }

const newCompanyDays = 7

/** Returns the maximum number of mails per hour. Times are in epoch ms. The provider's company always has the limit of a known company. */
export const getMaxMailsPerHour = (company: { registeredAt: number; isProvider: boolean }, now: number): number =>
  company.isProvider || now - company.registeredAt >= newCompanyDays * dayMs
    ? mailsPerHour.knownCompany
    : mailsPerHour.newCompany
