(define (domain newsroom)
  (:requirements :strips :typing :negative-preconditions :universal-preconditions :conditional-effects)
  (:types story reporter editor page photo - object)
  (:predicates
    (assigned-to ?s - story ?r - reporter)
    (drafted ?s - story)
    (approved-by ?s - story ?e - editor)
    (placed-on ?s - story ?p - page)
    (illustrates ?f - photo ?s - story)
    (closed ?p - page))
  (:action assign
    :parameters (?s - story ?r - reporter)
    :precondition (and (forall (?x - reporter) (not (assigned-to ?s ?x))))
    :effect (and (assigned-to ?s ?r)))
  (:action withdraw
    :parameters (?s - story ?r - reporter)
    :precondition (and (assigned-to ?s ?r))
    :effect (and (not (assigned-to ?s ?r))))
  (:action write-draft
    :parameters (?s - story ?r - reporter)
    :precondition (and (assigned-to ?s ?r) (not (drafted ?s)))
    :effect (and (drafted ?s)))
  (:action approve
    :parameters (?s - story ?e - editor)
    :precondition (and (drafted ?s) (not (approved-by ?s ?e)))
    :effect (and (approved-by ?s ?e)))
  (:action place
    :parameters (?s - story ?e - editor ?p - page)
    :precondition (and (approved-by ?s ?e) (not (closed ?p))
                       (forall (?q - page) (not (placed-on ?s ?q))))
    :effect (and (placed-on ?s ?p)))
  (:action pull
    :parameters (?s - story ?p - page)
    :precondition (and (placed-on ?s ?p) (not (closed ?p)))
    :effect (and (not (placed-on ?s ?p))))
  (:action attach-photo
    :parameters (?f - photo ?s - story)
    :precondition (and (not (illustrates ?f ?s)))
    :effect (and (illustrates ?f ?s)
                 (forall (?o - story) (when (illustrates ?f ?o) (not (illustrates ?f ?o))))))
  (:action close-page
    :parameters (?p - page ?s - story)
    :precondition (and (placed-on ?s ?p) (not (closed ?p)))
    :effect (and (closed ?p))))
