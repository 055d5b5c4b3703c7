/** Rejects reads of stored trails, for tests in which the device has none and nothing reads them. */
export const noTrails = () => Promise.reject(new Error('nobody asks for the audit trail here'))
