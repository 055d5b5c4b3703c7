/** What a host (page, worker, test) lends to the corridor. */
export interface Ports {
  network(request: Request): Promise<Response>
}
